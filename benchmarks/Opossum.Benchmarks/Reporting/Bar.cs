namespace Opossum.Benchmarks.Reporting;

/// <summary>One bar, from zero to the value, with a whisker from low to high and the value in words.</summary>
/// <param name="Name">Before the bar.</param>
/// <param name="Series">Which colour, from 0.</param>
/// <param name="Value">How long it is.</param>
/// <param name="Low">Where the whisker begins.</param>
/// <param name="High">Where the whisker ends.</param>
/// <param name="Label">Behind the bar.</param>
internal sealed record Bar(string Name, int Series, double Value, double Low, double High, string Label);
