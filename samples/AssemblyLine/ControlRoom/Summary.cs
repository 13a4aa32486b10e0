namespace AssemblyLine;

/// <summary>The totals of this shift and of all shifts in the store.</summary>
internal static class Summary
{
    public static void Print(Figures atEnd, History history, LineSettings settings)
    {
        var latencies = atEnd.Latencies;
        Console.WriteLine();
        Console.WriteLine("This run");
        Console.WriteLine($"  events     {atEnd.Events:N0} in {atEnd.Elapsed.TotalSeconds:N1} s, {atEnd.EventsPerSecond:N1} a second");
        Console.WriteLine($"  appends    {latencies.Count:N0} by {settings.Machines} machines, each flushed to the disk");
        Console.WriteLine($"  latency    {latencies.Percentile(0.5):N1} ms median, {latencies.Percentile(0.9):N1} p90, "
            + $"{latencies.Percentile(0.99):N1} p99, {latencies.Max:N1} max");
        Console.WriteLine($"  conflicts  {atEnd.Conflicts:N0}, each decided again");
        Console.WriteLine($"  processes  {atEnd.Machines.Sum(machine => machine.Losses):N0} lost");
        Console.WriteLine("The store");
        Console.WriteLine($"  events     {history.Head:N0}");
        Console.WriteLine($"  orders     {Count(OrderStatus.Done):N0} done, {Count(OrderStatus.InWork):N0} in work, "
            + $"{Count(OrderStatus.Waiting):N0} waiting");
        foreach (var machine in history.Machines.Values.OrderBy(machine => machine.Machine.Length).ThenBy(machine => machine.Machine,
            StringComparer.Ordinal))
        {
            Console.WriteLine($"  {machine.Machine,-9}  orders {machine.Orders:N0}, parts {machine.Cycles:N0}, scrap {machine.Scrap:N0}, faults {machine.Faults:N0}");
        }

        int Count(OrderStatus status) => history.Orders.Values.Count(order => order.Status == status);
    }
}
