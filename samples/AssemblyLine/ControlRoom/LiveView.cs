using Spectre.Console;
using Spectre.Console.Rendering;

namespace AssemblyLine;

/// <summary>The figures as a table that is updated in place in a terminal.</summary>
internal static class LiveView
{
    public static IRenderable Of(Figures figures) => new Rows([
        Machines(figures),
        Totals(figures),
        .. figures.Notices.Select(notice => new Text(notice, Color.Grey)),
    ]);

    private static Table Machines(Figures figures)
    {
        var table =
            new Table().RoundedBorder().Title($"Assembly line, {Time(figures.Elapsed)} of {Time(figures.Duration)}").Caption("Ctrl-C ends the shift");
        table.AddColumns("Machine", "State", "Operator", "Order");
        foreach (var number in new[] { "Cycles", "Faults", "Orders", "Median", "p99", "Conflicts" })
            table.AddColumn(new TableColumn(number).RightAligned());
        foreach (var machine in figures.Machines)
        {
            table.AddRow(
                new Text(machine.State.Machine),
                new Text(machine.Condition, ColorOf(machine)),
                new Text(machine.State.Operator ?? ""),
                new Text(machine.Work),
                new Text($"{machine.State.Cycles:N0}"),
                new Text($"{machine.State.Faults:N0}"),
                new Text($"{machine.State.Orders:N0}"),
                new Text($"{machine.Latencies.Percentile(0.5):N1} ms"),
                new Text($"{machine.Latencies.Percentile(0.99):N1} ms"),
                new Text($"{machine.Conflicts:N0}"));
        }
        return table;
    }

    private static Grid Totals(Figures figures)
    {
        var latencies = figures.Latencies;
        var grid = new Grid().AddColumn().AddColumn();
        var shift = figures.Shift;
        Add("Throughput", $"{figures.EventsPerSecondNow:N0} events/s now, {figures.EventsPerSecond:N0} on average, {figures.Events:N0} in all");
        Add("Appends", $"{latencies.Percentile(0.5):N1} ms median, {latencies.Percentile(0.99):N1} ms p99, {latencies.Max:N1} ms at most");
        Add("Conflicts", $"{figures.Conflicts:N0}, each decided again");
        Add("Shift",
            $"{shift.Shift}: parts {shift.Parts:N0}, scrap {shift.Scrap:N0}, orders done {shift.Orders:N0}, waiting {figures.OrdersWaiting:N0}, faults {shift.Faults:N0}");
        Add("Read models", string.Join(", ", figures.Projections.Select(each => $"{each.Name} {each.Lag:N0} events behind")));
        return grid;

        void Add(string name, string value) => grid.AddRow(new Text(name, Color.Grey), new Text(value));
    }

    private static Color ColorOf(MachineFigures machine) => machine.Condition switch
    {
        "running" => Color.Green,
        "lost" => Color.Red,
        _ => machine.State.Fault is null ? Color.Grey : Color.Orange1,
    };

    private static string Time(TimeSpan time) => $"{time:hh\\:mm\\:ss}";
}
