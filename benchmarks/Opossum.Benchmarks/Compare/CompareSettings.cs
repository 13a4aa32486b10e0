namespace Opossum.Benchmarks.Compare;

/// <summary>The size of a comparison.</summary>
/// <param name="Events">The number of events in the store for reads.</param>
/// <param name="IsShort">Whether to run few rounds, to test that everything works.</param>
internal sealed record CompareSettings(int Events, bool IsShort)
{
    public const int EventsDefault = 100_000;
    public const int EventsDefaultShort = 1_000;

    /// <summary>The number of events per distinct tag in the stores that differ in tags.</summary>
    public const int EventsPerTag = 20;

    public int EventsOfSmallStore => Events / 100;

    public int EventsOfLargeStore => Events * (IsShort ? 2 : 10);

    public int FewTags => IsShort ? 10 : 100;

    public int ManyTags => IsShort ? 50 : 20_000;

    public int Rounds(int full) => IsShort ? Math.Max(2, full / 20) : full;
}
