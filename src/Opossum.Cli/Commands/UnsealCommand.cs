using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Makes the event files of sealed folders again.</summary>
internal sealed class UnsealCommand : StoreCommand
{
    private readonly Option<long?> after = NewPosition("--after", 0, "Only folders with events after this position");
    private readonly Option<long?> upTo = NewPosition("--up-to", 1, "Only folders with events up to this position");

    public UnsealCommand(Terminal terminal)
        : base(terminal, "unseal", "Make the event files of sealed folders again, while others append",
            "opossum unseal sales",
            "opossum unseal sales --after 4710 --up-to 4711",
            "opossum unseal sales --after 9999 --json")
        => Add(after, upTo);

    public override string WhenCancelled => "Cancelled. What is unsealed stays unsealed; the same command, run again, continues from there.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var (start, last) = (arguments.GetValue(after) ?? 0, arguments.GetValue(upTo));
        if (start >= last)
            throw new CliException(ExitCode.Usage, $"--after {start} is not before --up-to {last}, so there is nothing to unseal.");
        var path = ExistingStoreOf(arguments);
        var report = await WithProgressAsync(progress => StoreSealing.UnsealAsync(path, start, last,
            progress, cancellationToken)).ConfigureAwait(false);
        return WriteDone(arguments, report, unsealing =>
        {
            Terminal.Out.WriteLine($"Unsealed {unsealing}");
            if (unsealing is { Folders: 0, SealedFolders: > 0 })
                Terminal.Out.WriteLine("None of them has these positions.");
        });
    }

    private static Option<long?> NewPosition(string name, long lowest, string description) => new(name)
    {
        Description = description,
        HelpName = "position",
        CustomParser = result => NumberOption.Parse(result, long.MaxValue, $"is not a position. Pass a number from {lowest}.", lowest),
    };
}
