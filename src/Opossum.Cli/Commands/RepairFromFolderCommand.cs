using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Restores event files from Quarantine or a backup.</summary>
internal sealed class RepairFromFolderCommand : RepairBase
{
    private readonly Argument<string> folder = new("folder") { Description = "The folder that holds event files; it is only read" };

    public RepairFromFolderCommand(Terminal terminal)
        : base(terminal, "from-folder", "Restore missing or bad event files from a folder in Quarantine or in a backup",
            "opossum repair from-folder sales sales/Quarantine/20261121T124944.285Z",
            "opossum repair from-folder sales backup/Events/0000000000 --dry-run")
        => Add(folder);

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var from = arguments.GetRequiredValue(folder);
        if (!Directory.Exists(from))
            throw new CliException(ExitCode.Usage, $"{from} does not exist or is not a folder. Nothing was changed.");
        var files = Directory.EnumerateFiles(from, "*.json").Count(static file => EventPositionOf(file) is not null);
        return RunAsync(arguments, question: null,
            found => PlanOf(found, from, files),
            (path, progress) => StoreRepair.RestoreFromFolderAsync(path, from, progress, cancellationToken), cancellationToken);
    }

    private static string PlanOf(StoreCheckReport found, string from, int files)
    {
        var lacking = PositionsOf(found, Remedy.RestoreFromFolder, Remedy.RestoreFromIndex);
        return $"{from} holds {Text.Count(files, "event file")}. Would restore those that the store lacks and that fit whole appends. "
            + (lacking.Length == 0 ? "No event file of the store is missing or bad; events after its end may be restored."
                : $"The store lacks {lacking}.");
    }

    private static long? EventPositionOf(string file) =>
        Path.GetFileNameWithoutExtension(file) is { Length: 10 } name && long.TryParse(name, out var position) && position > 0 ? position : null;
}
