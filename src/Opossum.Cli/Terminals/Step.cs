namespace Opossum.Cli.Terminals;

/// <summary>The progress of long work.</summary>
/// <param name="Label">What is being done, such as <c>Checking</c>.</param>
/// <param name="Total">How much there is to do, as far as known.</param>
/// <param name="Unit">What is counted, in the plural.</param>
internal readonly record struct Step(string Label, long Done, long Total, string Unit = "events");
