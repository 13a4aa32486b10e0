namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum repair open</c>.</summary>
/// <param name="Head">The last position.</param>
internal sealed record RepairOpenReport(long Head);
