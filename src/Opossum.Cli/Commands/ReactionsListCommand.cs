using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Lists the reactions of a store.</summary>
internal sealed class ReactionsListCommand(Terminal terminal) : FollowerListCommand<ReactionStatus, ReactionReport>(
    FollowerKind.Reaction, terminal,
    "List the reactions with position, lag and parked events",
    static (name, status, problem) => new ReactionReport(name, status, problem))
{
    protected override Task<ReactionStatus> ReadAsync(FileSystemEventStore store, string name, CancellationToken cancellationToken) =>
        store.Reactions[name].GetStatusAsync(cancellationToken);

    protected override bool IsHeldUp(ReactionReport report) => report.Parked.Count > 0 || report.Halt is not null;

    protected override void WriteAll(ParseResult arguments, IReadOnlyList<ReactionReport> reports) =>
        Write(arguments, new ReactionsReport(reports), WriteText);

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

    private static string StateOf(ReactionReport each) => StateOf(each, Parts(each), $"{Text.Count(each.Skipped.Count, "event")} skipped");

    private static IEnumerable<string> Parts(ReactionReport each)
    {
        if (each.Halt is not null)
            yield return "halted";
        else if (each.Lag is { } lag)
            yield return lag == 0 && each.Open == 0 ? "up to date" : lag == 0 ? "not all events handled" : $"{Text.Count(lag, "event")} behind";
        if (each.Failing > 0)
            yield return $"{Text.Count(each.Failing.Value, "event")} failing";
        if (each.Parked.Count > 0)
            yield return $"{Text.Count(each.Parked.Count, "event")} parked";
    }
}
