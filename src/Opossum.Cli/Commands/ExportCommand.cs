using System.CommandLine;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Writes events as lines of canonical JSON.</summary>
internal sealed class ExportCommand : StoreCommand
{
    private readonly Option<string?> output = new("--output", "-o")
    {
        Description = "The file to write; without it, the standard output",
        HelpName = "file",
    };
    private readonly EventFilter filter = new();
    private readonly Option<long> after = new("--after") { Description = "Only events after this position", HelpName = "position" };
    private readonly Option<long?> upTo = new("--up-to") { Description = "Only events up to this position", HelpName = "position" };

    public ExportCommand(Terminal terminal)
        : base(terminal, "export", "Write events as lines of canonical JSON, for import, jq or another program",
            "opossum export sales --output sales.jsonl",
            "opossum export sales --type order-placed --after 1000 | jq .data.total",
            "opossum export sales | opossum import copy")
        => Add([output, .. filter.OfIndex, after, upTo]);

    public override string WhenCancelled => "Cancelled. No file was written.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var from = ExistingStoreOf(arguments);
        var query = filter.QueryOf(arguments);
        var range = new ReadOptions { After = arguments.GetValue(after), UpTo = arguments.GetValue(upTo) };
        await WriteUnknownAsync(arguments, cancellationToken).ConfigureAwait(false);
        if (arguments.GetValue(output) is not { } path)
        {
            // Without progress: lines of both would be mixed on a screen.
            using var lines = new TextWriterStream(Terminal.Out);
            await StoreExport.RunAsync(from, lines, query, range, progress: null, cancellationToken).ConfigureAwait(false);
            return ExitCode.Ok;
        }
        NewFile.ThrowIfExists(path);
        var report = await WithProgressAsync(progress => NewFile.WriteAsync(path,
            file => StoreExport.RunAsync(from, file, query, range, progress, cancellationToken))).ConfigureAwait(false);
        return WriteDone(arguments, report, Terminal.Out.WriteLine);
    }

    private async Task WriteUnknownAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        if (filter.QueryOf(arguments).IsAll)
            return;
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        await filter.WriteUnknownAsync(arguments, store, Terminal, cancellationToken).ConfigureAwait(false);
    }
}
