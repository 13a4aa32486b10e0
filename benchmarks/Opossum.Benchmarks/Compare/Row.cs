using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Compare;

/// <summary>One measure with the result of each contender.</summary>
/// <param name="Measure">One of the names in <see cref="Compare.Measure"/>.</param>
/// <param name="IsPerEvent">Whether the times are of one event; if not, of the whole.</param>
/// <param name="Contenders">In the order of the table.</param>
internal sealed record Row(string Measure, bool IsPerEvent, IReadOnlyList<Measured> Contenders)
{
    /// <summary>System calls on files an event, by contender, where they were counted.</summary>
    public IReadOnlyDictionary<string, double> SystemCalls { get; init; } = new Dictionary<string, double>();

    public Measured Of(string contender) => Contenders.Single(each => each.Contender == contender);
}
