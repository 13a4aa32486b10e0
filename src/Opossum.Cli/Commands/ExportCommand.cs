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
    private readonly Option<string[]> types = new("--type", "-t")
    {
        Description = "Only events of this type; repeat it for several, any of which counts",
        HelpName = "name",
    };
    private readonly Option<string[]> tags = new("--tag", "-g")
    {
        Description = "Only events with this tag; repeat it for several, all of which count",
        HelpName = "key:value",
    };
    private readonly Option<long> after = new("--after") { Description = "Only events after this position", HelpName = "position" };
    private readonly Option<long?> upTo = new("--up-to") { Description = "Only events up to this position", HelpName = "position" };

    public ExportCommand(Terminal terminal)
        : base(terminal, "export", "Write events as lines of canonical JSON, for import, jq or another program",
            "opossum export sales --output sales.jsonl",
            "opossum export sales --type order-placed --after 1000 | jq .data.total",
            "opossum export sales | opossum import copy")
        => Add(output, types, tags, after, upTo);

    public override string WhenCancelled => "Cancelled. No file was written.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        StorePath.ThrowIfNoStore(StoreOf(arguments));
        var query = QueryOf(arguments);
        var range = new ReadOptions { After = arguments.GetValue(after), UpTo = arguments.GetValue(upTo) };
        await WriteUnknownAsync(arguments, cancellationToken).ConfigureAwait(false);
        if (arguments.GetValue(output) is not { } path)
        {
            // Without progress: lines of both would be mixed on a screen.
            using var lines = new TextWriterStream(Terminal.Out);
            await StoreExport.RunAsync(StoreOf(arguments), lines, query, range, progress: null, cancellationToken).ConfigureAwait(false);
            return ExitCode.Ok;
        }
        var report = await WithProgressAsync(progress =>
            ExportFile.WriteAsync(StoreOf(arguments), path, query, range, progress, cancellationToken)).ConfigureAwait(false);
        return WriteDone(arguments, report, Terminal.Out.WriteLine);
    }

    private async Task WriteUnknownAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var (wanted, tagged) = (arguments.GetValue(types) ?? [], arguments.GetValue(tags) ?? []);
        if (wanted.Length + tagged.Length == 0)
            return;
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        await UnknownNames.WriteAsync(store, wanted, tagged, Terminal, cancellationToken).ConfigureAwait(false);
    }

    private Query QueryOf(ParseResult arguments)
    {
        var item = new QueryItem
        {
            Types = arguments.GetValue(types) ?? [],
            Tags = [.. (arguments.GetValue(tags) ?? []).Select(Tag.Parse)],
        };
        return item.Types.Count == 0 && item.Tags.Count == 0 ? Query.All : Query.FromItems(item);
    }
}
