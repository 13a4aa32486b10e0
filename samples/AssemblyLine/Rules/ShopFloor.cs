using Opossum;

namespace AssemblyLine;

/// <summary>
/// The rules of the line. Each method reads the facts it needs, decides, and appends on the condition that no process has changed these facts
/// meanwhile; if one has, it reads and decides again. It returns null when the rules do not allow the event now.
/// </summary>
public sealed class ShopFloor(IEventStore store)
{
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

    /// <summary>An order is made by one machine, and a machine makes one order at a time.</summary>
    public Task<AppendResult?> ClaimOrderAsync(int order, string machine) => DecideAsync(
        DecisionProjection.Combine(Facts.Order(order), Facts.Machine(machine)),
        now => now is ({ ClaimedBy: null }, { Operator: not null, Order: null }) ? [new OrderClaimed(order, machine)] : []);

    /// <summary>A machine works when it has an operator, an order and no fault, on one part at a time.</summary>
    public Task<AppendResult?> StartCycleAsync(int order, string machine) => DecideAsync(
        DecisionProjection.Combine(Facts.Machine(machine), Facts.PartsOf(order)),
        now => now is ({ Operator: not null, Order: { } claimed, Fault: null, Cycle: null }, var parts) && claimed == order
            ? [new CycleStarted(machine, order, parts + 1)]
            : []);

    /// <summary>The last part of an order completes it, in the same append.</summary>
    public Task<AppendResult?> CompleteCycleAsync(int order, string machine) => DecideAsync(
        DecisionProjection.Combine(Facts.Machine(machine), Facts.Order(order)),
        now => now switch
        {
            ({ Operator: not null, Order: { } claimed, Fault: null, Cycle: { } part }, { } released) when claimed == order =>
                part == released.Quantity
                    ? [new CycleCompleted(machine, order, part), new OrderCompleted(order, machine)]
                    : [new CycleCompleted(machine, order, part)],
            _ => [],
        });

    public Task<AppendResult?> RaiseFaultAsync(string machine, string code) => DecideAsync(
        Facts.Machine(machine),
        now => now.Fault is null ? [new FaultRaised(machine, code)] : []);

    public Task<AppendResult?> ClearFaultAsync(string machine) => DecideAsync(
        Facts.Machine(machine),
        now => now.Fault is { } code ? [new FaultCleared(machine, code)] : []);

    private async Task<AppendResult?> DecideAsync<TState>(DecisionProjection<TState> facts, Func<TState, IEnumerable<object>> decide)
    {
        var result = await store.ExecuteDecisionAsync(facts, state => [.. decide(state).Select(data => new NewEvent(data))]);
        return result.Appended;
    }
}
