using System.Globalization;

namespace Opossum.Testing;

/// <summary>What a race explored without finding a fault.</summary>
public sealed record RaceReport
{
    /// <summary>The number of interleavings that ran.</summary>
    public required int Interleavings { get; init; }

    /// <summary>
    /// Whether these are all. Interleavings that differ only in the order of neighbouring reads count once, because
    /// reads do not affect each other.
    /// </summary>
    public required bool IsExhaustive { get; init; }

    /// <summary>The number of reads and appends in all of them.</summary>
    public required long Calls { get; init; }

    /// <summary>The seed of the random choices, of which there are none when all interleavings ran.</summary>
    public required int Seed { get; init; }

    /// <summary>The report in one sentence.</summary>
    public override string ToString() => IsExhaustive
        ? string.Create(CultureInfo.InvariantCulture, $"All {Interleavings} interleavings ran, with {Calls} calls.")
        : string.Create(CultureInfo.InvariantCulture, $"{Interleavings} interleavings ran, with {Calls} calls, but not all of them: first those with "
            + $"the fewest switches between the decisions, then random ones with the seed {Seed}.");
}
