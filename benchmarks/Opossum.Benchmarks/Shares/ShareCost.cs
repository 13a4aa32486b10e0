namespace Opossum.Benchmarks.Shares;

/// <summary>What one kind of work costs on a share.</summary>
/// <param name="Work">Which.</param>
/// <param name="IsShared">Whether another machine has the store open, too.</param>
/// <param name="RoundTrips">How many, of one event or one query.</param>
/// <param name="Time">How long the work takes by them, those side by side counted once.</param>
/// <param name="Bound">The most round trips by the target.</param>
/// <param name="ByOperation">The round trips by operation and file.</param>
internal sealed record ShareCost(string Work, bool IsShared, double RoundTrips, TimeSpan Time, double Bound, IReadOnlyList<(string Operation, double RoundTrips)> ByOperation)
{
    public bool IsMet => RoundTrips <= Bound;
}
