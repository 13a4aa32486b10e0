namespace AssemblyLine;

/// <summary>What the shift came to.</summary>
internal static class Summary
{
    public static void Print(Figures atEnd, History history, LineSettings settings)
    {
        var latencies = atEnd.Latencies;
        Console.WriteLine();
        Console.WriteLine("Summary");
        Console.WriteLine($"  events       {atEnd.Events:N0} in {atEnd.Elapsed.TotalSeconds:N1} s: {atEnd.EventsPerSecond:N1} a second; {history.Head:N0} in the store");
        Console.WriteLine($"  appends      {latencies.Count:N0} by {settings.Machines} machines, each flushed to the disk: {latencies.Percentile(0.5):N1} ms median, {latencies.Percentile(0.9):N1} p90, {latencies.Percentile(0.99):N1} p99, {latencies.Max:N1} max");
        Console.WriteLine($"  conflicts    {atEnd.Conflicts:N0}, each decided again");
        Console.WriteLine($"  orders       {history.Orders.Values.Count(order => order.Status == OrderStatus.Done):N0} done, {history.Orders.Values.Count(order => order.Status == OrderStatus.InWork):N0} in work, {history.Orders.Values.Count(order => order.Status == OrderStatus.Waiting):N0} waiting");
        foreach (var machine in atEnd.Machines.OrderBy(machine => machine.State.Machine.Length).ThenBy(machine => machine.State.Machine, StringComparer.Ordinal))
        {
            var state = history.Machines.GetValueOrDefault(machine.State.Machine) ?? machine.State;
            var losses = machine.Losses > 0 ? $", lost {machine.Losses} times" : "";
            Console.WriteLine($"  {state.Machine,-10}   {state.Orders:N0} orders, {state.Cycles:N0} parts, {state.Faults:N0} faults{losses}");
        }
        Console.WriteLine();
    }
}
