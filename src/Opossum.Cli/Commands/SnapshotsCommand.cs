using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Lists the snapshots in a folder.</summary>
internal sealed class SnapshotsCommand : CliCommand
{
    private readonly Argument<string> folder = new("folder")
    {
        Description = "The folder that opossum backup --snapshot was given",
    };

    public SnapshotsCommand(Terminal terminal)
        : base(terminal, "snapshots", "List the snapshots that backup --snapshot has made in a folder",
            "opossum snapshots /mnt/snapshots",
            "opossum snapshots /mnt/snapshots --json")
        => Add(folder, Json);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = arguments.GetRequiredValue(folder);
        if (path.Length == 0)
            throw new CliException(ExitCode.Usage, "The path is empty. Pass the folder of the snapshots.");
        var snapshots = await StoreBackup.ListSnapshotsAsync(path, cancellationToken).ConfigureAwait(false);
        Write(arguments, new SnapshotsReport(snapshots), WriteText);
        foreach (var each in snapshots.Where(static each => each.Problem is not null))
            Terminal.WriteError($"{each.Path} {each.Problem}. It does not count as a snapshot.");
        return snapshots.All(static each => each.Problem is null) ? ExitCode.Ok : ExitCode.Negative;
    }

    private void WriteText(SnapshotsReport report)
    {
        List<Snapshot> whole = [.. report.Snapshots.Where(static each => each.Problem is null)];
        if (whole.Count == 0)
        {
            Terminal.Out.WriteLine("No snapshots.");
            return;
        }
        var rows = new Columns(Terminal, Column.Words, Column.Number, Column.Words, Column.Dim);
        rows.Add("time", "up to", "last event", "folder");
        foreach (var each in whole)
            rows.Add(Text.Of(each.Time), Text.Of(each.Head), each.LastEventAt is { } last ? Text.Of(last) : "", each.Path);
        rows.Write();
    }
}
