namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum new</c>.</summary>
/// <param name="Path">The store's folder.</param>
/// <param name="Id">The store's id; null for a dry run.</param>
/// <param name="IsDryRun">Whether nothing was done.</param>
internal sealed record NewReport(string Path, Guid? Id, bool IsDryRun);
