namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum repair open</c>.</summary>
internal sealed record RepairOpenReport(long Head);
