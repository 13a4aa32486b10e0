namespace Opossum.Benchmarks.Contenders;

/// <summary>
/// The totals of a read, so that no work is skipped and contenders can be compared: <paramref name="Sum"/> is of bytes or of quantities.
/// </summary>
internal readonly record struct ReadTotals(int Events, long Positions, long Sum)
{
    public ReadTotals With(long position, long amount) => new(Events + 1, Positions + position, Sum + amount);
}
