using Opossum;

namespace AssemblyLine;

/// <summary>Gathers the figures: throughput from the store's head, states from the read models, latencies from the machines' reports.</summary>
internal sealed class FiguresReader(
    IFileSystemEventStore store, IReadOnlyList<SupervisedMachine> machines, long headAtStart, LineSettings settings,
    Notices notices)
{
    private readonly IProjectionStore<MachineState> states = store.Projections.Get<MachineState>();
    private readonly IProjectionStore<OrderProgress> orders = store.Projections.Get<OrderProgress>();
    private readonly IProjectionStore<ShiftTotal> shifts = store.Projections.Get<ShiftTotal>();
    private readonly Throughput throughput = new(headAtStart);

    public async Task<Figures> ReadAsync()
    {
        var (events, mean, now) = throughput.Take(await store.GetHeadAsync());
        var shift = ShiftTotal.ShiftOf(DateTimeOffset.UtcNow);
        return new Figures
        {
            Elapsed = throughput.Elapsed,
            Duration = settings.Duration,
            Events = events,
            EventsPerSecond = mean,
            EventsPerSecondNow = now,
            Machines = await ReadMachinesAsync(),
            OrdersWaiting = await orders.FindAsync([OrderBoard.Tagged(OrderStatus.Waiting)]).CountAsync(),
            Shift = await shifts.GetAsync(shift) ?? new ShiftTotal(shift),
            Projections = await ReadProjectionsAsync(),
            Notices = notices.Latest,
        };
    }

    private async Task<IReadOnlyList<ProjectionStatus>> ReadProjectionsAsync() =>
        [await states.GetStatusAsync(), await orders.GetStatusAsync(), await shifts.GetStatusAsync()];

    private async Task<IReadOnlyList<MachineFigures>> ReadMachinesAsync()
    {
        var known = await states.GetManyAsync(machines.Select(machine => machine.Name));
        var work = await orders.GetManyAsync(known.Values.Where(state => state.Order is not null).Select(state => $"{state.Order}"));
        return [.. machines.Select(machine =>
        {
            var state = known.GetValueOrDefault(machine.Name) ?? new MachineState(machine.Name);
            var (latencies, conflicts) = machine.Figures;
            return new MachineFigures(machine.Status, machine.Losses, state, work.GetValueOrDefault($"{state.Order}"), latencies, conflicts);
        })];
    }
}
