namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum append</c>.</summary>
/// <param name="Events">The number of events.</param>
/// <param name="FirstPosition">The position of the first of them; for a dry run the one it would get now.</param>
/// <param name="LastPosition">The position of the last of them.</param>
/// <param name="IsDryRun">Whether nothing was appended.</param>
internal sealed record AppendReport(int Events, long FirstPosition, long LastPosition, bool IsDryRun);
