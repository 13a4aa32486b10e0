using System.CommandLine;
using Opossum.Benchmarks.Reporting;
using Spectre.Console;

namespace Opossum.Benchmarks.Shares;

/// <summary><c>shares</c>: round trips and time on a simulated SMB share.</summary>
internal static class SharesCommand
{
    private static readonly TimeSpan roundTrip = TimeSpan.FromMilliseconds(1);

    public static Command Create()
    {
        var command =
            new Command("shares",
                $"Counts the round trips of appends and queries on a simulated SMB share of {roundTrip.TotalMilliseconds} ms a round trip, and "
                    + "the time they take. Measures nothing of this machine.") { CommonOptions.Output };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        IReadOnlyList<ShareCost> costs =
        [
            .. await new SimulatedShare(isShared: false, roundTrip).MeasureAsync(),
            .. await new SimulatedShare(isShared: true, roundTrip).MeasureAsync(),
        ];
        var table = new Table().AddColumns("work", "the store is open on", "round trips", "target", "time", "");
        foreach (var cost in costs)
            table.AddRow([.. RowOf(cost).Select(cell => Markup.Escape(cell.Replace("**", "", StringComparison.Ordinal)))]);
        AnsiConsole.Write(table);
        foreach (var cost in costs)
            AnsiConsole.WriteLine($"{cost.Work}, {MachinesOf(cost)}: {Breakdown(cost)}");
        if (arguments.GetValue(CommonOptions.Output) is { } output)
            Write(new ResultsFile(output.FullName), costs);
        return 0;
    }

    private static void Write(ResultsFile file, IReadOnlyList<ShareCost> costs)
    {
        var table = new MarkdownTable("work", "the store is open on", "round trips", "target", "time", "");
        var breakdown = new MarkdownTable("work", "the store is open on", "round trips by operation and file");
        foreach (var cost in costs)
        {
            table.Row(RowOf(cost));
            breakdown.Row(cost.Work, MachinesOf(cost), Breakdown(cost));
        }
        file.WriteSection("shares", $"""
            ## shares

            The store on a simulated SMB share with {roundTrip.TotalMilliseconds} ms a round trip. Round trips are counted as Linux's SMB client makes them: the number for each operation
            was counted between a real client and Samba, and is written down in `ShareClient` and `ShareFile`. Lone appends come after 2 s of idling; groups are appends
            of 50 events; the query is the first of a process that has just opened the store. What another thread does in the background is not counted. Time
            is that of the round trips alone; parallel ones count once. Followed: a store and its replica on such shares, while other machines append; an event is in the
            replica after that time and at most the poll interval, 0.5 s. The target is that of 5 s for both.

            {table}
            {breakdown}
            """);
    }

    private static string[] RowOf(ShareCost cost) =>
        [cost.Work, MachinesOf(cost), Number.Plain(cost.RoundTrips), $"at most {cost.Bound}", Number.Time(cost.Time.TotalMicroseconds), cost.IsMet
            ? "met"
            : "**missed**"];

    private static string MachinesOf(ShareCost cost) => cost.IsShared ? "two machines" : "one machine";

    private static string Breakdown(ShareCost cost) =>
        string.Join(", ", cost.ByOperation.Select(each => $"{each.Operation} {Number.Share(each.RoundTrips)}"));
}
