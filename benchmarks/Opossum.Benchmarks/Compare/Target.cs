namespace Opossum.Benchmarks.Compare;

/// <summary>A target for Opossum, and whether a run met it.</summary>
/// <param name="Measure">The measure.</param>
/// <param name="Wanted">The bound.</param>
/// <param name="Measured">The result and the figures it was computed from.</param>
/// <param name="IsMet">Null when it could not be measured here.</param>
internal sealed record Target(string Measure, string Wanted, string Measured, bool? IsMet)
{
    public string Verdict => IsMet switch { true => "met", false => "**missed**", null => "not measured" };
}
