using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Lists the reactions of a store: how far they are, and what holds them up.</summary>
internal sealed class ReactionsListCommand(Terminal terminal)
    : StoreCommand(terminal, "list", "List the reactions with position, lag and parked events",
        "opossum reactions list sales",
        "opossum reactions list sales --json")
{
    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var found = new List<ReactionReport>();
        foreach (var name in await store.StoredReactions.ListAsync(cancellationToken).ConfigureAwait(false))
            found.Add(await ReadAsync(store, name, cancellationToken).ConfigureAwait(false));
        Write(arguments, new ReactionsReport(found), static json => json.ReactionsReport, WriteText);
        return found.Exists(static each => each.Parked.Count > 0 || each.Halt is not null || each.Problem is not null)
            ? ExitCode.Negative
            : ExitCode.Ok;
    }

    // One that cannot be read must not hide the others.
    private static async Task<ReactionReport> ReadAsync(FileSystemEventStore store, string name, CancellationToken cancellationToken)
    {
        try
        {
            return ReactionReport.Of(await store.StoredReactions.GetAsync(name, cancellationToken).ConfigureAwait(false));
        }
        catch (EventStoreException e)
        {
            return new ReactionReport { Name = name, Problem = e.Message };
        }
    }

    private void WriteText(ReactionsReport report)
    {
        if (report.Reactions.Count == 0)
        {
            Terminal.Out.WriteLine("No reactions: no process has started any on this store.");
            return;
        }
        var rows = new Columns(Terminal, new Column(Style: Style.Bold), Column.Number, Column.Words);
        rows.Add("name", "position", "state");
        foreach (var each in report.Reactions)
            rows.Add(each.Name, each.Position is { } position ? Text.Of(position) : "", StateOf(each));
        rows.Write();
        foreach (var each in report.Reactions.Where(static each => each.Halt is not null))
        {
            Terminal.Out.WriteLine();
            Terminal.Out.WriteLine($"{each.Name} is halted until opossum reactions again says from where it continues:");
            Terminal.Out.WriteLine($"  {Terminal.Paint(Style.Red, Text.Visible(each.Halt!))}");
        }
    }

    private static string StateOf(ReactionReport each)
    {
        var parts = new List<string>();
        if (each.Problem is { } problem)
            parts.Add(problem);
        if (each.Halt is not null)
            parts.Add("halted");
        else if (each.Lag is { } lag)
            parts.Add(lag == 0 && each.Open == 0 ? "up to date" : lag == 0 ? "not all events handled" : $"{Text.Count(lag, "event")} behind");
        if (each.Failing > 0)
            parts.Add($"{Text.Count(each.Failing.Value, "event")} failing");
        if (each.Parked.Count > 0)
            parts.Add($"{Text.Count(each.Parked.Count, "event")} parked");
        if (each.Skipped.Count > 0)
            parts.Add($"{Text.Count(each.Skipped.Count, "event")} skipped");
        if (each.OpenRequests > 0)
            parts.Add($"{Text.Count(each.OpenRequests, "request")} not carried out yet");
        return string.Join("; ", parts);
    }
}
