namespace Opossum.Benchmarks.Shares;

/// <summary>The cost of one kind of work on a share.</summary>
/// <param name="Work">Which.</param>
/// <param name="IsShared">Whether another machine has the store open, too.</param>
/// <param name="RoundTrips">The round trips of one event or one query.</param>
/// <param name="Time">The time that they take; parallel ones count once.</param>
/// <param name="Bound">The target's maximum number of round trips.</param>
/// <param name="ByOperation">The round trips by operation and file.</param>
internal sealed record ShareCost(string Work, bool IsShared, double RoundTrips, TimeSpan Time, double Bound,
    IReadOnlyList<(string Operation, double RoundTrips)> ByOperation)
{
    public bool IsMet => RoundTrips <= Bound;
}
