using System.Globalization;

namespace Opossum.Testing;

/// <summary>What a race explored without finding a fault.</summary>
/// <param name="Interleavings">The number of interleavings that ran.</param>
/// <param name="IsExhaustive">
/// Whether these are all. Interleavings that differ only in the order of neighbouring reads count once, because reads do not affect each other.
/// </param>
/// <param name="Calls">The number of reads and appends in all of them.</param>
/// <param name="Seed">The seed of the random choices, of which there are none when all interleavings ran.</param>
public sealed record RaceReport(int Interleavings, bool IsExhaustive, long Calls, int Seed)
{
    /// <summary>The report in one sentence.</summary>
    public override string ToString() => IsExhaustive
        ? string.Create(CultureInfo.InvariantCulture, $"All {Interleavings} interleavings ran, with {Calls} calls.")
        : string.Create(CultureInfo.InvariantCulture, $"{Interleavings} interleavings ran, with {Calls} calls, but not all of them: first those with "
            + $"the fewest switches between the decisions, then random ones with the seed {Seed}.");
}
