using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Shows what is in a store: its head, event types and tag keys.</summary>
internal sealed class InfoCommand : StoreCommand
{
    private readonly Option<bool> sizes = new("--sizes") { Description = "Also measure the files, which opens every one of them" };

    public InfoCommand(Terminal terminal)
        : base(terminal, "info", "Show what is in a store: head, event types, tags",
            "opossum info sales",
            "opossum info sales --sizes",
            "opossum info sales --json")
        => Add(sizes);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var status = await store.GetStatusAsync(arguments.GetValue(sizes), cancellationToken).ConfigureAwait(false);
        Write(arguments, InfoReport.Of(status), ReportJson.Default.InfoReport, WriteText);
        return ExitCode.Ok;
    }

    private void WriteText(InfoReport report)
    {
        var facts = new Columns(Terminal, Column.Dim, Column.Words);
        facts.Add("store", report.Path);
        facts.Add("events", Text.Of(report.Head));
        facts.Write();
    }
}
