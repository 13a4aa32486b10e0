namespace AssemblyLine;

/// <summary>The figures as lines of text, for files and logs.</summary>
internal static class PlainView
{
    public static void Show(Figures figures)
    {
        var latencies = figures.Latencies;
        var behind = figures.Projections.Max(static projection => projection.Lag);
        Console.WriteLine(
            $"{figures.Elapsed:hh\\:mm\\:ss}  {figures.Events:N0} events, {figures.EventsPerSecondNow:N0}/s"
            + $"  append {latencies.Percentile(0.5):N1} ms median, {latencies.Percentile(0.99):N1} p99, {latencies.Max:N1} max"
            + $"  conflicts {figures.Conflicts:N0}  orders waiting {figures.OrdersWaiting:N0}  read models' lag {behind:N0} events");
        foreach (var machine in figures.Machines)
        {
            var state = machine.State;
            Console.WriteLine($"          {state.Machine,-4} {machine.Condition,-14} {state.Operator,-7} {machine.Work,-22} "
                + $"cycles {state.Cycles,6:N0}  faults {state.Faults,4:N0}");
        }
    }
}
