using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Builds the tree over the events that a store has already.</summary>
internal sealed class ProofBuildCommand(Terminal terminal)
    : ChangeCommand(terminal, "build", "Build the tree over a store's events, or bring it up to date, while others append",
        "opossum proof build sales",
        "opossum proof build sales --dry-run")
{
    public override string WhenCancelled => "Cancelled. The tiles that are written stay; the same command, run again, continues from there.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = ExistingStoreOf(arguments);
        if (IsDryRun(arguments) && !Directory.Exists(Path.Combine(path, "Index")))
        {
            throw new CliException(ExitCode.NoStore,
                $"The store in {path} has no index that could be used. Open the store, which builds it, and try again. Nothing was changed.");
        }
        var report = IsDryRun(arguments)
            ? new ProofBuildReport(await StorePath.HeadAsync(path, Terminal, cancellationToken).ConfigureAwait(false), IsDryRun: true)
            : new ProofBuildReport(await WithProgressAsync(progress =>
                StoreProof.BuildAsync(path, progress, cancellationToken)).ConfigureAwait(false), IsDryRun: false);
        return WriteDone(arguments, report, WriteText);
    }

    private void WriteText(ProofBuildReport report) => Terminal.Out.WriteLine(report.IsDryRun
        ? $"Would build the tree over {Text.Count(report.Events, "event")}. Nothing was changed."
        : $"The tree covers {Text.Count(report.Events, "event")}.");
}
