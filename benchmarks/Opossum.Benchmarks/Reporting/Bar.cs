namespace Opossum.Benchmarks.Reporting;

/// <summary>One bar, from zero to the value, with a whisker from low to high and the value as text.</summary>
/// <param name="Name">The text before the bar.</param>
/// <param name="Series">The number of the colour, from 0.</param>
/// <param name="Value">The length of the bar.</param>
/// <param name="Low">Where the whisker begins.</param>
/// <param name="High">Where the whisker ends.</param>
/// <param name="Label">The text after the bar.</param>
internal sealed record Bar(string Name, int Series, double Value, double Low, double High, string Label);
