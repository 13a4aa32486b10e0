using Opossum;

namespace AssemblyLine;

/// <summary>
/// The rules of the line. Each method reads the facts it needs, decides, and appends on the condition that no process has changed these facts
/// meanwhile; if one has, it reads and decides again. It returns null when the rules do not allow the event now.
/// </summary>
public sealed class ShopFloor(IEventStore store)
{
    /// <summary>The number of parts in a box.</summary>
    public const int BatchSize = 10;

    /// <summary>Nothing can forbid it: the process is there.</summary>
    public Task<AppendResult?> StartMachineAsync(string machine) => DecideAsync(Facts.Machine(machine), _ => [new MachineStarted(machine)]);

    /// <summary>Orders are numbered without gaps.</summary>
    public Task<AppendResult?> ReleaseOrdersAsync(IReadOnlyList<(string Article, int Quantity)> orders) => DecideAsync(
        Facts.NextOrder(),
        next => orders.Select((order, index) => new OrderReleased(next + index, order.Article, order.Quantity)));

    /// <summary>An operator works at one machine at a time, and a machine has one operator: a decision across machines.</summary>
    public Task<AppendResult?> SignInAsync(string operatorName, string machine) => DecideAsync(
        DecisionProjection.Combine(Facts.MachineOf(operatorName), Facts.Machine(machine)),
        now => now is (null, { Operator: null }) ? [new OperatorSignedIn(operatorName, machine)] : []);

    public Task<AppendResult?> SignOutAsync(string machine) => DecideAsync(
        Facts.Machine(machine),
        now => now.Operator is { } operatorName ? [new OperatorSignedOut(operatorName, machine)] : []);

    /// <summary>The other operator must be free: again a decision across machines.</summary>
    public Task<AppendResult?> HandOverAsync(string machine, string to) => DecideAsync(
        DecisionProjection.Combine(Facts.MachineOf(to), Facts.Machine(machine)),
        now => now is (null, { Operator: { } from }) ? [new ShiftHandover(from, to, machine)] : []);

    /// <summary>A machine pauses between two parts.</summary>
    public Task<AppendResult?> PauseAsync(string machine) => DecideAsync(
        DecisionProjection.Combine(Facts.Machine(machine), Facts.Setup(machine)),
        now => now is ({ Cycle: null }, { IsPaused: false }) ? [new MachinePaused(machine)] : []);

    public Task<AppendResult?> ResumeAsync(string machine) => DecideAsync(
        Facts.Setup(machine),
        now => now.IsPaused ? [new MachineResumed(machine)] : []);

    /// <summary>Material is loaded once for each order.</summary>
    public Task<AppendResult?> LoadMaterialAsync(int order, string machine, string material) => DecideAsync(
        DecisionProjection.Combine(Facts.Machine(machine), Facts.Setup(machine)),
        now => now.Item1.Order == order && now.Item2.Loaded != order ? [new MaterialLoaded(machine, order, material)] : []);

    public Task<AppendResult?> AdjustAsync(string machine, string parameter, double value) => DecideAsync(
        Facts.Machine(machine),
        now => now is { Operator: not null, Cycle: null } ? [new ParameterAdjusted(machine, parameter, value)] : []);

    public Task<AppendResult?> ChangeToolAsync(string machine, string tool) => DecideAsync(
        Facts.Machine(machine),
        now => now is { Operator: not null, Cycle: null } ? [new ToolChanged(machine, tool)] : []);

    /// <summary>An order is made by one machine, and a machine makes one order at a time.</summary>
    public Task<AppendResult?> ClaimOrderAsync(int order, string machine) => DecideAsync(
        DecisionProjection.Combine(Facts.Order(order), Facts.Machine(machine)),
        now => now is ({ ClaimedBy: null }, { Operator: not null, Order: null }) ? [new OrderClaimed(order, machine)] : []);

    /// <summary>A machine works when it has an operator, an order with its material and no fault, on one part at a time.</summary>
    public Task<AppendResult?> StartCycleAsync(int order, string machine) => DecideAsync(
        DecisionProjection.Combine(Facts.Machine(machine), Facts.Setup(machine), Facts.Order(order), Facts.PartsOf(order)),
        now => now switch
        {
            ({ Operator: not null, Order: { } claimed, Fault: null, Cycle: null }, { IsPaused: false, Loaded: { } loaded, IsOff: false },
                { } released, var parts) when claimed == order && loaded == order =>
                released.IsStarted
                    ? [new CycleStarted(machine, order, parts + 1)]
                    : [new OrderStarted(order, machine), new CycleStarted(machine, order, parts + 1)],
            _ => [],
        });

    /// <summary>
    /// A part is made and judged in one append: it passes unless a reason is given why it is scrap. A good one may fill a box, and the last one
    /// completes the order.
    /// </summary>
    public Task<AppendResult?> CompleteCycleAsync(int order, string machine, string? scrap = null) => DecideAsync(
        DecisionProjection.Combine(Facts.Machine(machine), Facts.Order(order)),
        now => now switch
        {
            ({ Operator: not null, Order: { } claimed, Fault: null, Cycle: { } part }, { } released) when claimed == order =>
                Completed(machine, order, part, released.Quantity, scrap),
            _ => [],
        });

    public Task<AppendResult?> RaiseFaultAsync(string machine, string code) => DecideAsync(
        Facts.Machine(machine),
        now => now.Fault is null ? [new FaultRaised(machine, code)] : []);

    public Task<AppendResult?> ClearFaultAsync(string machine) => DecideAsync(
        Facts.Machine(machine),
        now => now.Fault is { } code ? [new FaultCleared(machine, code)] : []);

    private static IEnumerable<object> Completed(string machine, int order, int part, int quantity, string? scrap)
    {
        yield return new CycleCompleted(machine, order, part);
        if (scrap is not null)
        {
            yield return new UnitRejected(machine, order, part, scrap);
            yield break;
        }
        yield return new UnitPassed(machine, order, part);
        if (part % BatchSize == 0 || part == quantity)
            yield return new BatchCompleted(order, machine, (part + BatchSize - 1) / BatchSize);
        if (part == quantity)
            yield return new OrderCompleted(order, machine);
    }

    private async Task<AppendResult?> DecideAsync<TState>(DecisionProjection<TState> facts, Func<TState, IEnumerable<object>> decide)
    {
        var result = await store.ExecuteDecisionAsync(facts, state => [.. decide(state).Select(data => new NewEvent(data))]);
        return result.Appended;
    }
}
