using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Opens a store for writing, which repairs what a crash left.</summary>
internal sealed class RepairOpenCommand(Terminal terminal)
    : RepairBase(terminal, "open", "Open the store as a program does: completes the index, sets aside what a crash left",
        "opossum repair open sales",
        "opossum repair open sales --dry-run")
{
    public override string WhenCancelled => "Interrupted. If the opening had begun, it may have repaired the store: opossum check STORE shows it.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        await StoreToChangeAsync(arguments, cancellationToken).ConfigureAwait(false);
        if (IsDryRun(arguments))
            return await ShowAsync(arguments, PlanOf, cancellationToken).ConfigureAwait(false);
        await using var store = await OpenForWritingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        return WriteDone(arguments, new RepairOpenReport(head),
            report => Terminal.Out.WriteLine($"The store is open and complete up to position {Text.Of(report.Head)}."));
    }

    private static string PlanOf(StoreCheckReport found)
    {
        var count = found.Findings.Count(static finding => finding.Remedy == Remedy.OpenStore);
        return count == 0
            ? "Nothing to do: the check found nothing that opening repairs."
            : $"Would repair {Text.Count(count, "fault")} by opening the store.";
    }
}
