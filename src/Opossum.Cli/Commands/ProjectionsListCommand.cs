using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Lists the projections of a store: how far they are, and what holds them up.</summary>
internal sealed class ProjectionsListCommand(Terminal terminal)
    : StoreCommand(terminal, "list", "List the projections with version, position, lag and faults",
        "opossum projections list sales",
        "opossum projections list sales --json")
{
    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var found = new List<ProjectionReport>();
        foreach (var name in await store.StoredProjections.ListAsync(cancellationToken).ConfigureAwait(false))
            found.Add(await ReadAsync(store, name, cancellationToken).ConfigureAwait(false));
        Write(arguments, new ProjectionsReport(found), static json => json.ProjectionsReport, WriteText);
        return found.Exists(static each => each.Fault is not null || each.Problem is not null) ? ExitCode.Negative : ExitCode.Ok;
    }

    // One that cannot be read must not hide the others.
    private static async Task<ProjectionReport> ReadAsync(FileSystemEventStore store, string name, CancellationToken cancellationToken)
    {
        try
        {
            return ProjectionReport.Of(await store.StoredProjections.GetAsync(name, cancellationToken).ConfigureAwait(false));
        }
        catch (EventStoreException e)
        {
            return new ProjectionReport { Name = name, Problem = e.Message };
        }
    }

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

    private static string StateOf(ProjectionReport each)
    {
        var parts = new List<string>();
        if (each.Problem is { } problem)
            parts.Add(problem);
        if (each.Fault is { } fault)
            parts.Add($"stopped at event {Text.Of(fault.Position)}");
        if (each.Lag is { } lag)
            parts.Add(lag == 0 ? "up to date" : $"{Text.Count(lag, "event")} behind");
        if (each.RebuildPosition is { } rebuild)
            parts.Add($"rebuilding, at {Text.Of(rebuild)} of {Text.Of(each.Head ?? 0)}");
        if (each.Skipped.Count > 0)
            parts.Add($"skips {Text.Count(each.Skipped.Count, "event")}");
        if (each.OpenRequests > 0)
            parts.Add($"{Text.Count(each.OpenRequests, "request")} not carried out yet");
        return string.Join("; ", parts);
    }
}
