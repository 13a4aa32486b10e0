using System.CommandLine;
using System.Globalization;
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
        return RunAsync(arguments, question: null,
            found => PlanOf(found, from, CountOf(from, ".json", lowest: 1), CountOf(from, ".jsonl", lowest: 0)),
            (path, progress) => StoreRepair.RestoreFromFolderAsync(path, from, progress, cancellationToken), cancellationToken);
    }

    private static string PlanOf(StoreCheckReport found, string from, int files, int sealedFiles)
    {
        var lacking = PositionsOf(found, Remedy.RestoreFromFolder, Remedy.RestoreFromIndex, Remedy.AcceptEditedFile);
        return $"{from} holds {Text.Count(files, "event file")}"
            + (sealedFiles == 0 ? "" : $" and {Text.Count(sealedFiles, "sealed file")}")
            + ". Would restore those that the store lacks and that fit whole appends. "
            + (lacking.Length == 0 ? "No event file of the store is missing or bad; events after its end may be restored."
                : $"The store lacks {lacking}.");
    }

    // The name of an event file is its position, and that of a sealed file the number of its folder.
    private static int CountOf(string from, string ending, long lowest) => Directory.EnumerateFiles(from).Count(file =>
        Path.GetExtension(file) == ending && Path.GetFileNameWithoutExtension(file) is { Length: 10 } name
        && long.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number >= lowest);
}
