using System.Globalization;

namespace Opossum.Testing;

/// <summary>What a reaction went through without a fault.</summary>
public sealed record CrashReport
{
    /// <summary>The number of crashes that were tried, each in a run of its own.</summary>
    public required int Crashes { get; init; }

    /// <summary>
    /// The number of steps of a run: changes of files, begins of handlers and recorded calls. A crash was tried
    /// before each.
    /// </summary>
    public required int Steps { get; init; }

    /// <summary>The report in one sentence.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{Crashes} crashes, before each of {Steps} steps: the process was killed, and the power was cut.");
}
