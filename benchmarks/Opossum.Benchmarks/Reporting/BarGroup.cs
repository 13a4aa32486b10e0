namespace Opossum.Benchmarks.Reporting;

/// <summary>Bars that are compared with one another.</summary>
internal sealed record BarGroup(string Name, IReadOnlyList<Bar> Bars);
