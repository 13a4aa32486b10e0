namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum proof build</c>.</summary>
/// <param name="Events">The number of events that the tree covers, or would cover.</param>
internal sealed record ProofBuildReport(long Events, bool IsDryRun);
