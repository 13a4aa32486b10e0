using Opossum.Testing;

namespace Opossum.TestingTests.Examples;

/// <summary>Builds the cases of an example from its decisions.</summary>
internal static class Cases
{
    /// <summary>A race of several decisions of one kind, in each of the five right ways.</summary>
    public static IEnumerable<RaceCase> InEveryRightWay<TState>(string name, Func<RaceTest, RaceTest> setting, params Decider<TState>[] deciders)
    {
        yield return Of($"{name}, executed", setting, deciders.Select(each => (Func<IEventStore, Task>)each.ExecuteAsync));
        yield return Of($"{name}, decided asynchronously", setting,
            deciders.Select(each => (Func<IEventStore, Task>)each.ExecuteAsynchronouslyAsync));
        yield return Of($"{name}, without a retry", setting, deciders.Select(each => (Func<IEventStore, Task>)each.OnceAsync));
        yield return Of($"{name}, in a loop", setting, deciders.Select(each => (Func<IEventStore, Task>)each.LoopAsync));
        yield return Of($"{name}, with a mail afterwards", setting,
            deciders.Select(each => (Func<IEventStore, SideEffects, Task>)each.MailAfterwardsAsync));
    }

    public static RaceCase Of(string name, Func<RaceTest, RaceTest> setting, params IEnumerable<Func<IEventStore, Task>> runs) =>
        new(name, () => setting(Race.Explore([.. runs]).With(EventTypes.All)));

    public static RaceCase Of(string name, Func<RaceTest, RaceTest> setting, IEnumerable<Func<IEventStore, SideEffects, Task>> runs) =>
        new(name, () => setting(Race.Explore([.. runs.Select((run, at) => new RaceDecision($"caller {at + 1}", run))]).With(EventTypes.All)));

    /// <summary>An event of which a tag was left off.</summary>
    public static NewEvent Without(string tagKey, object data)
    {
        var name = ((EventTypeAttribute)Attribute.GetCustomAttribute(data.GetType(), typeof(EventTypeAttribute))!).Name;
        var tags = data.GetType().GetProperties()
            .Select(property => (((TagAttribute?)Attribute.GetCustomAttribute(property, typeof(TagAttribute)))?.Key, Value: property.GetValue(data)!))
            .Where(tag => tag.Key is not null && tag.Key != tagKey)
            .Select(tag => Tag.From(tag.Key!, tag.Value));
        var json = System.Text.Json.JsonSerializer.Serialize(data, data.GetType(), System.Text.Json.JsonSerializerOptions.Web);
        return NewEvent.FromJson(name, json, [.. tags]);
    }

    public static IEnumerable<T> Of<T>(this IEnumerable<SequencedEvent> events) => events.Select(static e => e.Data).OfType<T>();
}
