using System.Globalization;

namespace Opossum.Testing;

/// <summary>What a reaction went through without a fault.</summary>
/// <param name="Crashes">The number of crashes that were tried, each in a run of its own.</param>
/// <param name="Steps">The number of steps of a run: changes of files, begins of handlers and recorded calls. A crash was tried before each.</param>
public sealed record CrashReport(int Crashes, int Steps)
{
    /// <summary>The report in one sentence.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{Crashes} crashes, before each of {Steps} steps: the process was killed, and the power was cut.");
}
