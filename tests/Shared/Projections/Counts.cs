namespace Opossum.Tests.Projections;

/// <summary>How many events a key has had since it was made; all that a state tells can be told from the events up to its position.</summary>
internal sealed record Count(int Number, long First);

/// <summary>
/// Counts events without CLR types: "counted", "touched" and "deleted" events carry the keys that they are about as tags. Only what is
/// there is touched.
/// </summary>
internal sealed class Counts : Projection<Count>
{
    public const string Key = "key";

    public Counts(int version = 1, string name = "counts")
        : base(name, version)
    {
        On("counted", KeysOf, (count, e) => count is null ? new Count(1, e.Position) : count with { Number = count.Number + 1 });
        On("touched", KeysOf, (count, _) => count! with { Number = count.Number + 1 });
        On("deleted", KeysOf, (_, _) => null);
        TagBy(TagsOfCount);
    }

    public static IEnumerable<Tag> TagsOfCount(Count count) =>
        [new Tag("parity", count.Number % 2 == 0 ? "even" : "odd"), new Tag("first", $"{count.First}")];

    /// <summary>What the projection comes to, by the shortest way.</summary>
    public static Dictionary<string, Count> Fold(IEnumerable<SequencedEvent> events)
    {
        var counts = new Dictionary<string, Count>();
        foreach (var e in events)
        {
            foreach (var key in KeysOf(e))
            {
                if (e.Type == "deleted")
                    counts.Remove(key);
                else if (e.Type is "counted" or "touched")
                    counts[key] = counts.TryGetValue(key, out var count) ? count with { Number = count.Number + 1 } : new Count(1, e.Position);
            }
        }
        return counts;
    }

    public static NewEvent Counted(params string[] keys) => NewEvent.FromJson("counted", "{}", [.. keys.Select(key => new Tag(Key, key))]);

    public static NewEvent Touched(params string[] keys) => NewEvent.FromJson("touched", "{}", [.. keys.Select(key => new Tag(Key, key))]);

    public static NewEvent Deleted(params string[] keys) => NewEvent.FromJson("deleted", "{}", [.. keys.Select(key => new Tag(Key, key))]);

    private static IEnumerable<string> KeysOf(SequencedEvent e) => e.Tags.Where(tag => tag.Key == Key).Select(tag => tag.Value);
}
