using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Lists the projections of a store.</summary>
internal sealed class ProjectionsListCommand(Terminal terminal) : FollowerListCommand<ProjectionStatus, ProjectionReport>(
    FollowerKind.Projection, terminal,
    "List the projections with version, position, lag and faults",
    static (name, status, problem) => new ProjectionReport(name, status, problem))
{
    protected override Task<ProjectionStatus> ReadAsync(FileSystemEventStore store, string name, CancellationToken cancellationToken) =>
        store.Projections[name].GetStatusAsync(cancellationToken);

    protected override bool IsHeldUp(ProjectionReport report) => report.Fault is not null;

    protected override void WriteAll(ParseResult arguments, IReadOnlyList<ProjectionReport> reports) =>
        Write(arguments, new ProjectionsReport(reports), WriteText);

    private void WriteText(ProjectionsReport report)
    {
        if (report.Projections.Count == 0)
        {
            Terminal.Out.WriteLine("No projections: no process has built any states in this store.");
            return;
        }
        var rows = new Columns(Terminal, new Column(Style: Style.Bold), Column.Number, Column.Number, Column.Words);
        rows.Add("name", "version", "position", "state");
        foreach (var each in report.Projections)
            rows.Add(each.Name, $"{each.Version}", each.Position is { } position ? Text.Of(position) : "", StateOf(each));
        rows.Write();
        foreach (var each in report.Projections)
        {
            if (each.Fault is { } fault)
            {
                Terminal.Out.WriteLine();
                Terminal.Out.WriteLine($"{each.Name} stopped at {Text.Of(fault.At)}, at event {fault.Position}, {Text.Visible(fault.EventType)}:");
                Terminal.Out.WriteLine($"  {Terminal.Paint(Style.Red, Text.Visible(fault.Error))}");
            }
        }
    }

    private static string StateOf(ProjectionReport each) => StateOf(each, Parts(each), $"skips {Text.Count(each.Skipped.Count, "event")}");

    private static IEnumerable<string> Parts(ProjectionReport each)
    {
        if (each.Fault is { } fault)
            yield return $"stopped at event {Text.Of(fault.Position)}";
        if (each.Lag is { } lag)
            yield return lag == 0 ? "up to date" : $"{Text.Count(lag, "event")} behind";
        if (each.RebuildPosition is { } rebuild)
            yield return $"rebuilding, at {Text.Of(rebuild)} of {Text.Of(each.Head ?? 0)}";
    }
}
