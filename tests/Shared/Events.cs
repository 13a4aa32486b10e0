namespace Opossum.Tests;

/// <summary>Short forms for events, queries and reads.</summary>
internal static class Events
{
    public static NewEvent New(string type, params string[] tags) => NewEvent.FromJson(type, "{}", [.. tags.Select(Tag.Parse)]);

    public static NewEvent[] Many(int count, string type = "t", params string[] tags) => [.. Enumerable.Range(0, count).Select(_ => New(type, tags))];

    public static Query Tagged(params string[] tags) => Query.FromTags([.. tags.Select(Tag.Parse)]);

    public static QueryItem Item(string[] types, params string[] tags) => new() { Types = types, Tags = [.. tags.Select(Tag.Parse)] };

    public static async Task<List<SequencedEvent>> ReadAllAsync(this IEventStore store, Query? query = null, ReadOptions? options = null)
    {
        var events = new List<SequencedEvent>();
        await foreach (var e in store.ReadAsync(query ?? Query.All, options))
            events.Add(e);
        return events;
    }

    public static async Task<List<long>> PositionsAsync(this IEventStore store, Query? query = null, ReadOptions? options = null) =>
        (await store.ReadAllAsync(query, options)).ConvertAll(e => e.Position);
}
