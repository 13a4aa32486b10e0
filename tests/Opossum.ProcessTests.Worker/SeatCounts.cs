namespace Opossum.ProcessTests.Worker;

/// <summary>How often a seat was taken since it was freed last, and which positions count in that.</summary>
internal sealed record SeatCount(int Taken, long PositionSum);

/// <summary>Counts by the tags of events that have no CLR type.</summary>
internal sealed class SeatCounts : Projection<SeatCount>
{
    public const string Key = "seat";

    public SeatCounts(string name)
        : base(name)
    {
        On("taken", SeatsOf, (count, e) => new SeatCount((count?.Taken ?? 0) + 1, (count?.PositionSum ?? 0) + e.Position));
        On("freed", SeatsOf, (_, _) => null);
        TagBy(count => [new Tag("taken", count.Taken > 5 ? "often" : "seldom")]);
    }

    public static Dictionary<string, SeatCount> Fold(IEnumerable<SequencedEvent> events)
    {
        var counts = new Dictionary<string, SeatCount>();
        foreach (var e in events)
        {
            foreach (var seat in SeatsOf(e))
            {
                var count = counts.GetValueOrDefault(seat);
                if (e.Type == "taken")
                    counts[seat] = new SeatCount((count?.Taken ?? 0) + 1, (count?.PositionSum ?? 0) + e.Position);
                else
                    counts.Remove(seat);
            }
        }
        return counts;
    }

    private static IEnumerable<string> SeatsOf(SequencedEvent e) => e.Tags.Where(tag => tag.Key == Key).Select(tag => tag.Value);
}
