using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Stores events that an export wrote.</summary>
internal sealed class ImportCommand : ChangeCommand
{
    private readonly InputArgument file = new("The file with the lines; - or nothing for the standard input");
    private readonly KeysOption keys = new();
    private readonly Option<bool> allowPlain = new("--allow-plain")
    {
        Description = "Store members in plain that are encrypted in other events of the type",
    };

    public ImportCommand(Terminal terminal)
        : base(terminal, "import", "Store events that an export wrote, with their ids and times; those that the store has are skipped",
            "opossum import copy sales.jsonl",
            "opossum import copy sales.jsonl --dry-run",
            "opossum export sales --tag customer:c7 | opossum import copy")
        => Add(file, keys, allowPlain);

    public override string WhenCancelled => "Cancelled. What was stored stays; the same import, run again, continues from there.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = ExistingStoreOf(arguments);
        await using var input = file.Open(arguments, Terminal, cancellationToken);
        var options = new ImportOptions
        {
            DryRun = IsDryRun(arguments),
            KeysFolder = keys.Of(arguments),
            AllowPlain = arguments.GetValue(allowPlain),
        };
        var report = await WithProgressAsync(progress => StoreImport.RunAsync(path, input, options,
            progress, cancellationToken)).ConfigureAwait(false);
        var exitCode = WriteDone(arguments, report, WriteText);
        await WarnOfReactionsAsync(arguments, report, cancellationToken).ConfigureAwait(false);
        return exitCode;

        void WriteText(ImportReport report) =>
            Terminal.Out.WriteLine(options.DryRun ? $"Dry run, nothing was stored. {report}" : report.ToString());
    }

    private async Task WarnOfReactionsAsync(ParseResult arguments, ImportReport report, CancellationToken cancellationToken)
    {
        if (report.Imported == 0)
            return;
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var reactions = await store.Reactions.ListAsync(cancellationToken).ConfigureAwait(false);
        if (reactions.Count > 0)
        {
            Terminal.Error.WriteLine($"Reactions handle imported events like new ones, unless they start at a later time (ReactionStart.Time). This "
                + $"store has: {string.Join(", ", reactions)}.");
        }
    }
}
