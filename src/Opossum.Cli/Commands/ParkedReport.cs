namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum reactions parked</c>.</summary>
internal sealed record ParkedReport(string Reaction, IReadOnlyList<ParkedEvent> Parked);
