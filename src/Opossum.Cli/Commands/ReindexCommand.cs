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
        static found => found.Findings.Any(static finding => finding.Kind == FindingKind.IndexMismatch)
            ? $"Would rebuild the index from {Text.Count(found.Events, "event")}; it does not agree with them."
            : $"Would rebuild the index from {Text.Count(found.Events, "event")}; it agrees with them, so nothing would change.",
        (path, progress) => StoreRepair.RebuildIndexAsync(path, progress, cancellationToken), cancellationToken);
}
