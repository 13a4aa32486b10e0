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
        if (found.Findings.FirstOrDefault(static finding => finding.Remedy != Remedy.OpenStore && IsDamage(finding)) is { } damage)
        {
            throw new CliException(ExitCode.Failed, $"The index would not be rebuilt: {damage.Message.TrimEnd('.')}. Repair the event files "
                + "first, as opossum check says. Nothing was changed.");
        }
        return $"Would rebuild the index from {Text.Count(found.Events, "event")}; "
            + (found.Findings.Any(static finding => finding.Kind == FindingKind.IndexMismatch)
                ? "it does not agree with them."
                : "it agrees with them, so nothing would change.");
    }

    // Keys and runs of the index may be unreadable, too.
    private static bool IsDamage(StoreFinding finding) =>
        finding.Kind is FindingKind.Gap or FindingKind.BadEventFile or FindingKind.IncompleteCommit
        || (finding.Kind == FindingKind.UnreadableFile && finding.Path.Replace('\\', '/').Contains("/Events/", StringComparison.Ordinal));
}
