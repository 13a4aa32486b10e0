namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum new</c>.</summary>
/// <param name="Id">The store's id; null for a dry run.</param>
internal sealed record NewReport(string Path, Guid? Id, bool IsDryRun);
