namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum append</c>.</summary>
/// <param name="FirstPosition">The position of the first of them; for a dry run the one it would get now.</param>
internal sealed record AppendReport(int Events, long FirstPosition, long LastPosition, bool IsDryRun);
