using Opossum;

namespace AssemblyLine;

/// <summary>The figures of the line at one moment.</summary>
internal sealed record Figures
{
    public required TimeSpan Elapsed { get; init; }

    public required TimeSpan Duration { get; init; }

    public required long Events { get; init; }

    public required double EventsPerSecond { get; init; }

    public required double EventsPerSecondNow { get; init; }

    public required IReadOnlyList<MachineFigures> Machines { get; init; }

    public required int OrdersWaiting { get; init; }

    public required ShiftTotal Shift { get; init; }

    public required IReadOnlyList<ProjectionStatus> Projections { get; init; }

    public required IReadOnlyList<string> Notices { get; init; }

    public int Conflicts => Machines.Sum(machine => machine.Conflicts);

    /// <summary>The latencies of all machines' appends.</summary>
    public Latencies Latencies
    {
        get
        {
            var all = new Latencies();
            foreach (var machine in Machines)
                all.Add(machine.Latencies);
            return all;
        }
    }
}

/// <summary>The figures of one machine, from its process's reports and the read models.</summary>
internal sealed record MachineFigures(ProcessStatus Process, int Losses, MachineState State, OrderProgress? Order, Latencies Latencies, int Conflicts)
{
    public string Work => Order is null ? "" : $"{Order.Order}: {Order.Parts} of {Order.Quantity} {Order.Article}s";

    public string Condition => this switch
    {
        { Process: ProcessStatus.Starting } => "starting",
        { Process: ProcessStatus.Stopped } => "stopped",
        { Process: ProcessStatus.Lost } => "lost",
        { State.Fault: { } fault } => $"fault {fault}",
        { State.IsPaused: true } => "paused",
        { State.Operator: null } => "no operator",
        { State.Order: null } => "no order",
        _ => "running",
    };
}
