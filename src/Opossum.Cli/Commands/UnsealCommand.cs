using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Makes the event files of sealed folders again.</summary>
internal sealed class UnsealCommand : StoreCommand
{
    private readonly Option<long?> from = NewPosition("--from", "Unseal from the folder that has this position; from the first one unless given");
    private readonly Option<long?> upTo = NewPosition("--up-to", "Unseal up to the folder that has this position; up to the last one unless given");

    public UnsealCommand(Terminal terminal)
        : base(terminal, "unseal", "Make the event files of sealed folders again, while others append",
            "opossum unseal sales",
            "opossum unseal sales --from 4711 --up-to 4711",
            "opossum unseal sales --from 10000 --json")
    {
        Add(from);
        Add(upTo);
    }

    public override string WhenCancelled => "Cancelled. What is unsealed stays unsealed; the same command, run again, goes on from there.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var (first, last) = (arguments.GetValue(from) ?? 1, arguments.GetValue(upTo));
        if (first > last)
            throw new CliException(ExitCode.Usage, $"--from {first} comes after --up-to {last}, so there is nothing to unseal.");
        StorePath.ThrowIfNoStore(StoreOf(arguments));
        var options = new StoreUnsealOptions { FromPosition = first, UpToPosition = last };
        var report = await ProgressDisplay.RunAsync(Terminal, progress => StoreArchive.UnsealAsync(StoreOf(arguments), options,
            StoreSteps.To(progress), cancellationToken)).ConfigureAwait(false);
        Write(arguments, report, static json => json.StoreArchiveReport, unsealing =>
        {
            Terminal.Out.WriteLine($"Unsealed {unsealing}");
            if (unsealing is { Folders: 0, SealedFolders: > 0 })
                Terminal.Out.WriteLine("None of them has these positions.");
        });
        return ExitCode.Ok;
    }

    private static Option<long?> NewPosition(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "position",
        CustomParser = static result => NumberOption.Parse(result, long.MaxValue, "is not a position. Pass a number from 1."),
    };
}
