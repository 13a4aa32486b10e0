using System.CommandLine;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Restores a store from a backup into an empty folder.</summary>
internal sealed class RestoreCommand : CliCommand
{
    private readonly Argument<string> backup = new("backup") { Description = "The backup's folder, or that of any store" };
    private readonly Argument<string> target = new("store") { Description = "The new store's folder: missing or empty" };
    private readonly Option<long?> upTo = new("--up-to") { Description = "The last position to restore", HelpName = "position" };
    private readonly Option<string?> until = new("--until")
    {
        Description = "The time of the last append to restore, in UTC unless it names an offset",
        HelpName = "time",
    };
    private readonly Option<bool> newId = new("--new-id")
    {
        Description = "Give the store an id of its own: for a copy that gets appends while the original does too",
    };

    public RestoreCommand(Terminal terminal)
        : base(terminal, "restore", "Restore a store from a backup into an empty folder",
            "opossum restore /mnt/backup/sales sales",
            "opossum restore /mnt/backup/sales yesterday --until 2026-11-20T18:00:00Z --new-id",
            "opossum restore /mnt/backup/sales before --up-to 4711")
    {
        Add(backup, target, upTo, until, newId, DryRun, Json);
        DryRun.Description = "Show what would be copied, and write nothing";
        NumberOption.RefuseNegative(upTo, " Pass a position, or 0 for a store without events.");
    }

    public override string WhenCancelled => "Cancelled. No store was made; run the restore again.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = arguments.GetRequiredValue(backup);
        StorePath.ThrowIfNoStore(path, mayBeNew: false);
        var options = new RestoreOptions
        {
            UpTo = arguments.GetValue(upTo),
            UpToTime = arguments.GetValue(until) is { } time ? Moment.Parse(time, "--until", Terminal.TimeProvider) : null,
            NewId = arguments.GetValue(newId),
            DryRun = IsDryRun(arguments),
        };
        var report = await WithProgressAsync(progress => StoreBackup.RestoreAsync(path, arguments.GetRequiredValue(target), options,
            progress, cancellationToken)).ConfigureAwait(false);
        return WriteDone(arguments, report, Terminal.Out.WriteLine);
    }
}
