namespace Opossum.Benchmarks.Contenders;

/// <summary>What a read added up, so that no work is left out and contenders can be held against each other: <paramref name="Sum"/> is of bytes or of quantities.</summary>
internal readonly record struct ReadTotals(int Events, long Positions, long Sum)
{
    public ReadTotals With(long position, long amount) => new(Events + 1, Positions + position, Sum + amount);
}
