namespace Opossum.Benchmarks.Compare;

/// <summary>How much a comparison measures.</summary>
/// <param name="Events">How many events the store for reads has.</param>
/// <param name="IsShort">Few rounds, to see that all works.</param>
internal sealed record CompareSettings(int Events, bool IsShort)
{
    public const int EventsDefault = 100_000;
    public const int EventsDefaultShort = 1_000;

    /// <summary>Every distinct tag is on so many events of the stores that differ in tags.</summary>
    public const int EventsPerTag = 20;

    public int EventsOfSmallStore => Events / 100;

    public int EventsOfLargeStore => Events * (IsShort ? 2 : 10);

    public int FewTags => IsShort ? 10 : 100;

    public int ManyTags => IsShort ? 50 : 20_000;

    public int Rounds(int full) => IsShort ? Math.Max(2, full / 20) : full;
}
