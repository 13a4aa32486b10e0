namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum reactions parked</c>.</summary>
/// <param name="Reaction">The reaction's name.</param>
/// <param name="Parked">Its parked events, or the one that was asked for.</param>
internal sealed record ParkedReport(string Reaction, IReadOnlyList<ParkedEvent> Parked);
