namespace Opossum.Benchmarks.Compare;

/// <summary>What Opossum sets itself, and whether a run met it.</summary>
/// <param name="Measure">What is asked.</param>
/// <param name="Wanted">The bound.</param>
/// <param name="Measured">What came out, with what it was computed from.</param>
/// <param name="IsMet">Null when it could not be measured here.</param>
internal sealed record Target(string Measure, string Wanted, string Measured, bool? IsMet)
{
    public string Verdict => IsMet switch { true => "met", false => "**missed**", null => "not measured" };
}
