using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Seals a store's older folders.</summary>
internal sealed class SealCommand : StoreCommand
{
    private const int KeepDefault = 2;
    private const int KeepMax = 214_748;

    private readonly Option<long?> keep = new("--keep")
    {
        Description = "The newest folders that stay as they are, with the one that is being filled; 2 unless given",
        HelpName = "folders",
        CustomParser = static result => NumberOption.Parse(result, KeepMax, $"is not a number of folders to keep. Pass one from 1 to {KeepMax}."),
    };

    public SealCommand(Terminal terminal)
        : base(terminal, "seal", "Make each full folder of older events one file, while others append",
            "opossum seal sales",
            "opossum seal sales --keep 10",
            "opossum seal sales --json")
        => Add(keep);

    public override string WhenCancelled => "Cancelled. What is sealed stays sealed; the same command, run again, continues from there.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = ExistingStoreOf(arguments);
        var kept = (int)(arguments.GetValue(keep) ?? KeepDefault);
        var report = await WithProgressAsync(progress => StoreSealing.SealAsync(path, kept,
            progress, cancellationToken)).ConfigureAwait(false);
        return WriteDone(arguments, report, sealing =>
        {
            Terminal.Out.WriteLine($"Sealed {sealing}");
            if (sealing is { Folders: 0, FinishedFolders: 0 })
                Terminal.Out.WriteLine($"Only full folders with durable events are sealed, and none of the newest {kept}.");
        });
    }
}
