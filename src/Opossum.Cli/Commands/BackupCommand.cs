using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Brings the backup of a store up to date.</summary>
internal sealed class BackupCommand : StoreCommand
{
    private readonly Argument<string> target = new("target")
    {
        Description = "The backup's folder: missing, empty, or a backup of the same store",
    };
    private readonly Option<bool> verifyAll = new("--verify-all")
    {
        Description = "Also read all earlier copies, and make again those that are damaged or were edited since",
    };
    private readonly Option<bool> dryRun = new("--dry-run") { Description = "Show what would be copied, and write nothing" };
    private readonly Option<bool> includeKeys = new("--include-keys")
    {
        Description = "Also copy the keys of personal data: with them and the master key it can be read",
    };

    private bool wasBackup;

    public BackupCommand(Terminal terminal)
        : base(terminal, "backup", "Copy a store's new events into a backup, while others append",
            "opossum backup sales /mnt/backup/sales",
            "opossum backup sales /mnt/backup/sales --verify-all",
            "opossum backup sales /mnt/backup/sales --dry-run")
    {
        Add(target);
        Add(verifyAll);
        Add(dryRun);
        Add(includeKeys);
    }

    public override string WhenCancelled => wasBackup ? "Cancelled. The last whole backup is still there; the next run continues from it."
        : "Cancelled. There is no whole backup yet; the next run continues from what was copied.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        StorePath.ThrowIfNoStore(StoreOf(arguments));
        var events = Path.Combine(arguments.GetRequiredValue(target), "Events");
        wasBackup = Directory.Exists(events) && Directory.EnumerateFiles(events, "*.json*", SearchOption.AllDirectories).Any();
        var options = new BackupOptions
        {
            VerifyAll = arguments.GetValue(verifyAll),
            DryRun = arguments.GetValue(dryRun),
            IncludeKeys = arguments.GetValue(includeKeys),
        };
        var report = await ProgressDisplay.RunAsync(Terminal, progress => StoreBackup.RunAsync(StoreOf(arguments),
            arguments.GetRequiredValue(target), options, StoreSteps.To(progress), cancellationToken)).ConfigureAwait(false);
        Write(arguments, report, static json => json.BackupReport, Terminal.Out.WriteLine);
        return ExitCode.Ok;
    }
}
