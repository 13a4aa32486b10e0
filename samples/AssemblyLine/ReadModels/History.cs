using Opossum;

namespace AssemblyLine;

/// <summary>All events, read again from first to last: the states they must give, and every rule that was broken.</summary>
public sealed class History
{
    private readonly List<string> broken = [];
    private readonly Dictionary<string, string> machineOf = [];
    private readonly Dictionary<int, string> claims = [];

    /// <summary>The last position read.</summary>
    public long Head { get; private set; }

    public Dictionary<string, MachineState> Machines { get; } = [];

    public Dictionary<string, OrderProgress> Orders { get; } = [];

    public Dictionary<string, ShiftTotal> Shifts { get; } = [];

    /// <summary>Each broken rule, with the position where it was broken.</summary>
    public IReadOnlyList<string> BrokenRules => broken;

    public static async Task<History> ReadAsync(IEventStore store)
    {
        var history = new History();
        var events = store.ReadAsync(Query.All);
        await foreach (var e in events)
        {
            history.Judge(e);
            history.Apply(e);
        }
        history.Head = events.Head;
        return history;
    }

    private void Judge(SequencedEvent e)
    {
        switch (e.Data)
        {
            case OperatorSignedIn signedIn:
                if (!machineOf.TryAdd(signedIn.Operator, signedIn.Machine))
                    Break(e, $"{signedIn.Operator} signs in at {signedIn.Machine}, but works at {machineOf[signedIn.Operator]}");
                if (StateOf(signedIn.Machine).Operator is { } there)
                    Break(e, $"{signedIn.Operator} signs in at {signedIn.Machine}, but {there} works there");
                break;
            case OperatorSignedOut signedOut:
                if (!machineOf.Remove(signedOut.Operator, out var machine) || machine != signedOut.Machine)
                    Break(e, $"{signedOut.Operator} signs out at {signedOut.Machine}, but did not work there");
                break;
            case ShiftHandover handover:
                if (StateOf(handover.Machine).Operator != handover.From)
                    Break(e, $"{handover.From} hands over {handover.Machine}, but did not work there");
                machineOf.Remove(handover.From);
                if (!machineOf.TryAdd(handover.To, handover.Machine))
                    Break(e, $"{handover.To} takes over {handover.Machine}, but works at {machineOf[handover.To]}");
                break;
            case OrderReleased released:
                if (released.Order != Orders.Count + 1)
                    Break(e, $"order {released.Order} is released after {Orders.Count} others");
                break;
            case OrderClaimed claimed:
                if (!claims.TryAdd(claimed.Order, claimed.Machine))
                    Break(e, $"{claimed.Machine} claims order {claimed.Order}, but {claims[claimed.Order]} has it");
                if (StateOf(claimed.Machine).Order is { } other)
                    Break(e, $"{claimed.Machine} claims order {claimed.Order}, but works on order {other}");
                break;
            case CycleStarted started:
                var starts = StateOf(started.Machine);
                var mayStart = starts is { Operator: not null, Fault: null, InCycle: false, IsPaused: false, IsOff: false };
                if (!mayStart || starts.Order != started.Order || starts.Loaded != started.Order)
                    Break(e, $"{started.Machine} starts part {started.Number} of order {started.Order}, but cannot: {starts}");
                break;
            case CycleCompleted completed:
                if (!StateOf(completed.Machine).InCycle || completed.Number != Orders[$"{completed.Order}"].Parts + 1)
                    Break(e, $"{completed.Machine} completes part {completed.Number} of order {completed.Order}, but did not begin it");
                break;
            case OrderCompleted completed:
                if (Orders[$"{completed.Order}"] is var order && order.Parts != order.Quantity)
                    Break(e, $"order {order.Order} is completed with {order.Parts} of {order.Quantity} parts");
                break;
        }
    }

    private void Apply(SequencedEvent e)
    {
        if (e.Data is IMachineEvent ofMachine)
            Machines[ofMachine.Machine] = MachineState.Apply(Machines.GetValueOrDefault(ofMachine.Machine), ofMachine);
        if (e.Data is IOrderEvent ofOrder)
            Orders[$"{ofOrder.Order}"] = OrderProgress.Apply(Orders.GetValueOrDefault($"{ofOrder.Order}"), ofOrder);
        if (e.Data is UnitPassed or UnitRejected or OrderCompleted or FaultRaised)
        {
            var shift = ShiftTotal.ShiftOf(e.Timestamp);
            Shifts[shift] = ShiftTotal.Apply(Shifts.GetValueOrDefault(shift), e);
        }
    }

    private MachineState StateOf(string machine) => Machines.GetValueOrDefault(machine) ?? new MachineState(machine);

    private void Break(SequencedEvent e, string what) => broken.Add($"position {e.Position}: {what}");
}
