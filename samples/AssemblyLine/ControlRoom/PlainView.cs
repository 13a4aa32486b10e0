namespace AssemblyLine;

/// <summary>The figures as lines of text, for files and for people who read a log.</summary>
internal static class PlainView
{
    public static void Show(Figures figures)
    {
        var latencies = figures.Latencies;
        var behind = figures.Projections.Max(projection => projection.Head - projection.Position);
        Console.WriteLine(
            $"{figures.Elapsed:hh\\:mm\\:ss}  {figures.Events:N0} events, {figures.EventsPerSecondNow:N0}/s"
            + $"  append {latencies.Percentile(0.5):N1} ms median, {latencies.Percentile(0.99):N1} p99, {latencies.Max:N1} max, {figures.Conflicts} conflicts"
            + $"  read models {behind} behind, {figures.OrdersWaiting} orders wait");
        foreach (var machine in figures.Machines)
            Console.WriteLine($"          {machine.State.Machine,-4} {machine.Condition,-14} {machine.State.Operator ?? "-",-6} {OrderOf(machine),-24} {machine.State.Cycles,5} cycles {machine.State.Faults,3} faults");
    }

    public static string OrderOf(MachineFigures machine) =>
        machine.Order is { } order ? $"{order.Order}: {order.Parts} of {order.Quantity} {order.Article}s" : "-";
}
