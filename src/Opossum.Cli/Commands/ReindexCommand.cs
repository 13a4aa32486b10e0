using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Rebuilds the index from the event files.</summary>
internal sealed class ReindexCommand(Terminal terminal, string name = "reindex")
    : RepairBase(terminal, name, "Rebuild the index from the event files",
        "opossum reindex sales",
        "opossum reindex sales --dry-run")
{
    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken) => RunAsync(arguments, question: null,
        PlanOf, (path, progress) => StoreRepair.RebuildIndexAsync(path, progress, cancellationToken), cancellationToken);

    private static string PlanOf(StoreCheckReport found)
    {
        if (found.Findings.FirstOrDefault(static finding => finding.Remedy != Remedy.OpenStore && finding.Kind is FindingKind.Gap
            or FindingKind.BadEventFile or FindingKind.UnreadableFile or FindingKind.IncompleteCommit) is { } damage)
        {
            throw new CliException(ExitCode.Failed, $"The index would not be rebuilt: {damage.Message}. Repair the event files first, as opossum "
                + "check says. Nothing was changed.");
        }
        return $"Would rebuild the index from {Text.Count(found.Events, "event")}; "
            + (found.Findings.Any(static finding => finding.Kind == FindingKind.IndexMismatch)
                ? "it does not agree with them."
                : "it agrees with them, so nothing would change.");
    }
}
