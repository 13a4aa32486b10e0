using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Brings the backup of a store up to date.</summary>
internal sealed class BackupCommand : StoreCommand
{
    private readonly Argument<string> target = new("target")
    {
        Description = "The backup's folder: missing, empty, or a backup of the same store; "
            + "with --snapshot, the folder of the snapshots",
    };
    private readonly Option<bool> verifyAll = new("--verify-all")
    {
        Description = "Also read all earlier copies, and make again those that are damaged or were edited since",
    };
    private readonly Option<bool> includeKeys = new("--include-keys")
    {
        Description = "Also copy the keys of personal data in the store's folder: with them and the master key it can be read",
    };

    private readonly Option<bool> snapshot = new("--snapshot")
    {
        Description = "Make a whole backup in a folder of its own there, named by the time",
    };
    private readonly Option<long?> keepLast = Keep("last", "The newest snapshots to keep", "snapshots");
    private readonly Option<long?> keepDaily = Keep("daily", "For how many days to keep the newest one", "days");
    private readonly Option<long?> keepWeekly = Keep("weekly", "For how many weeks to keep the newest one", "weeks");
    private readonly Option<long?> keepMonthly = Keep("monthly", "For how many months to keep the newest one", "months");

    private bool wasBackup;
    private bool isSnapshot;

    public BackupCommand(Terminal terminal)
        : base(terminal, "backup", "Copy a store's new events into a backup, while others append",
            "opossum backup sales /mnt/backup/sales",
            "opossum backup sales /mnt/backup/sales --verify-all",
            "opossum backup sales /mnt/backup/sales --dry-run",
            "opossum backup sales /mnt/snapshots --snapshot --keep-daily 7 --keep-weekly 5")
    {
        Add(target, verifyAll, DryRun, includeKeys, snapshot, keepLast, keepDaily, keepWeekly, keepMonthly);
        DryRun.Description = "Show what would be copied, and write nothing";
        Validators.Add(result =>
        {
            var isSnapshot = result.GetValue(snapshot);
            if (!isSnapshot && Keeps.FirstOrDefault(keep => result.GetResult(keep) is not null) is { } rule)
                result.AddError($"{rule.Name} removes snapshots. Pass --snapshot too; a backup without it has every moment.");
            if (isSnapshot && result.GetValue(verifyAll))
                result.AddError("--verify-all is for a backup that grows; a snapshot is a new copy. Leave one of them out.");
        });
    }

    public override string WhenCancelled => isSnapshot
        ? "Cancelled. Every snapshot that is listed is whole; the next run removes what is left of others."
        : wasBackup ? "Cancelled. The last whole backup is still there; the next run continues from it."
        : "Cancelled. There is no whole backup yet; the next run continues from what was copied.";

    private IEnumerable<Option<long?>> Keeps => [keepLast, keepDaily, keepWeekly, keepMonthly];

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        StorePath.ThrowIfNoStore(StoreOf(arguments));
        isSnapshot = arguments.GetValue(snapshot);
        var report = await WithProgressAsync(progress => isSnapshot
            ? TakeSnapshotAsync(arguments, progress, cancellationToken)
            : CopyAsync(arguments, progress, cancellationToken)).ConfigureAwait(false);
        var exitCode = WriteDone(arguments, report, Terminal.Out.WriteLine,
            report is { RemovalProblems.Count: 0, SourceProblem: null } ? ExitCode.Ok : ExitCode.Failed);
        foreach (var problem in report.RemovalProblems)
            Terminal.WriteError(problem);
        return exitCode;
    }

    private Task<BackupReport> CopyAsync(ParseResult arguments, IProgress<StoreProgress> progress, CancellationToken cancellationToken)
    {
        var events = Path.Combine(arguments.GetRequiredValue(target), "Events");
        wasBackup = Directory.Exists(events) && Directory.EnumerateFiles(events, "*.json*", SearchOption.AllDirectories).Any();
        var options = new BackupOptions
        {
            VerifyAll = arguments.GetValue(verifyAll),
            DryRun = IsDryRun(arguments),
            IncludeKeys = arguments.GetValue(includeKeys),
        };
        return StoreBackup.RunAsync(StoreOf(arguments), arguments.GetRequiredValue(target), options, progress, cancellationToken);
    }

    private Task<BackupReport> TakeSnapshotAsync(ParseResult arguments, IProgress<StoreProgress> progress, CancellationToken cancellationToken)
    {
        var options = new SnapshotOptions
        {
            KeepLast = (int?)arguments.GetValue(keepLast),
            KeepDaily = (int?)arguments.GetValue(keepDaily),
            KeepWeekly = (int?)arguments.GetValue(keepWeekly),
            KeepMonthly = (int?)arguments.GetValue(keepMonthly),
            DryRun = IsDryRun(arguments),
            IncludeKeys = arguments.GetValue(includeKeys),
        };
        return StoreBackup.TakeSnapshotAsync(StoreOf(arguments), arguments.GetRequiredValue(target), options,
            progress, cancellationToken);
    }

    private static Option<long?> Keep(string rule, string description, string what) => new($"--keep-{rule}")
    {
        Description = description,
        HelpName = what,
        CustomParser = result =>
            NumberOption.Parse(result, int.MaxValue, $"is not a number of {what} to keep. Pass one from 1 on."),
    };
}
