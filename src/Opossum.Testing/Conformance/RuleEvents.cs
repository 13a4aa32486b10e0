namespace Opossum.Testing.Conformance;

/// <summary>The events and queries of the rules.</summary>
internal static class RuleEvents
{
    // So that a rule about events without tags is the only one to have such.
    private static readonly Tag suite = new("suite", "1");

    public static NewEvent New(string type, params string[] tags) =>
        NewEvent.FromJson(type, "{}", [suite, .. tags.Select(Tag.Parse)]);

    public static NewEvent[] Many(int count, string type, params string[] tags) =>
        [.. Enumerable.Range(0, count).Select(_ => New(type, tags))];

    public static Query Tagged(params string[] tags) => Query.FromTags([.. tags.Select(Tag.Parse)]);

    public static QueryItem Item(string[] types, params string[] tags) =>
        new() { Types = types, Tags = [.. tags.Select(Tag.Parse)] };

    /// <summary>Appends each event by itself.</summary>
    public static async Task AppendEachAsync(this IEventStore store, params NewEvent[] events)
    {
        foreach (var each in events)
            await store.AppendAsync([each]);
    }

    public static async Task<List<SequencedEvent>> ReadAllAsync(this IEventStore store, Query? query = null,
        ReadOptions? options = null)
    {
        var events = new List<SequencedEvent>();
        await foreach (var e in store.ReadAsync(query ?? Query.All, options))
            events.Add(e);
        return events;
    }

    public static async Task<List<long>> PositionsAsync(this IEventStore store, Query? query = null,
        ReadOptions? options = null) =>
        (await store.ReadAllAsync(query, options)).ConvertAll(static e => e.Position);

    public static async Task<List<string>> TypesAsync(this IEventStore store, Query? query = null) =>
        (await store.ReadAllAsync(query)).ConvertAll(static e => e.Type);

    public static Task<AppendConditionFailedException> RefusedAsync(this IEventStore store, NewEvent[] events,
        AppendCondition condition) =>
        Expect.ThrowsAsync<AppendConditionFailedException>(() => store.AppendAsync(events, condition),
            $"an append under {condition}");
}
