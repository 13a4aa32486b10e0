using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum migrate</c>.</summary>
/// <param name="Table">The file with the names of the event types.</param>
/// <param name="IsTableNew">Whether the table was proposed now. Nothing was migrated then, unless <c>--yes</c> was given.</param>
/// <param name="Import">What was stored; null when nothing was migrated.</param>
internal sealed record MigrateReport(string Table, bool IsTableNew, ImportReport? Import);
