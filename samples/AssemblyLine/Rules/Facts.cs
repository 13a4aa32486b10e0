using Opossum;

namespace AssemblyLine;

/// <summary>The facts that decisions are based on. Most come from one event, the last of its type, so only that event is read.</summary>
public static class Facts
{
    /// <summary>The machine that an operator works at; null when none.</summary>
    public static DecisionProjection<string?> MachineOf(string operatorName) =>
        DecisionProjection.Create<string?>(null, new Tag("operator", operatorName))
            .On<OperatorSignedIn>((_, e) => e.Machine)
            .On<OperatorSignedOut>((_, _) => null)
            .On<ShiftHandover>((_, e) => e.To == operatorName ? e.Machine : null)
            .LastEventOnly();

    /// <summary>The state of a machine: its operator, its order, its fault, and the part it is making.</summary>
    public static DecisionProjection<(string? Operator, int? Order, string? Fault, int? Cycle)> Machine(string machine) =>
        DecisionProjection.Combine(OperatorOf(machine), OrderOf(machine), FaultOf(machine), CycleOf(machine));

    /// <summary>Whether a machine may begin a part: if it pauses, the order whose material it has, and whether its last part was scrap.</summary>
    public static DecisionProjection<(bool IsPaused, int? Loaded, bool IsOff)> Setup(string machine) =>
        DecisionProjection.Combine(IsPaused(machine), LoadedOf(machine), IsOff(machine));

    /// <summary>An order's quantity and the machine that has claimed it; null when it was not released.</summary>
    public static DecisionProjection<Order?> Order(int order) =>
        DecisionProjection.Create<Order?>(null, Tag.From("order", order))
            .On<OrderReleased>((_, e) => new Order(e.Quantity, ClaimedBy: null))
            .On<OrderClaimed>((released, e) => released! with { ClaimedBy = e.Machine })
            .On<OrderStarted>((released, _) => released! with { IsStarted = true });

    /// <summary>The number of good parts of an order.</summary>
    public static DecisionProjection<int> PartsOf(int order) =>
        DecisionProjection.Create(0, Tag.From("order", order)).On<UnitPassed>((_, e) => e.Number).LastEventOnly();

    /// <summary>The number of the next order.</summary>
    public static DecisionProjection<int> NextOrder() =>
        DecisionProjection.Create(1).On<OrderReleased>((_, e) => e.Order + 1).LastEventOnly();

    private static DecisionProjection<string?> OperatorOf(string machine) =>
        DecisionProjection.Create<string?>(null, new Tag("machine", machine))
            .On<OperatorSignedIn>((_, e) => e.Operator)
            .On<OperatorSignedOut>((_, _) => null)
            .On<ShiftHandover>((_, e) => e.To)
            .LastEventOnly();

    private static DecisionProjection<bool> IsPaused(string machine) =>
        DecisionProjection.Create(false, new Tag("machine", machine))
            .On<MachinePaused>((_, _) => true)
            .On<MachineResumed>((_, _) => false)
            .LastEventOnly();

    private static DecisionProjection<int?> LoadedOf(string machine) =>
        DecisionProjection.Create<int?>(null, new Tag("machine", machine)).On<MaterialLoaded>((_, e) => e.Order).LastEventOnly();

    private static DecisionProjection<bool> IsOff(string machine) =>
        DecisionProjection.Create(false, new Tag("machine", machine))
            .On<UnitRejected>((_, _) => true)
            .On<ParameterAdjusted>((_, _) => false)
            .On<ToolChanged>((_, _) => false)
            .LastEventOnly();

    private static DecisionProjection<int?> OrderOf(string machine) =>
        DecisionProjection.Create<int?>(null, new Tag("machine", machine))
            .On<OrderClaimed>((_, e) => e.Order)
            .On<OrderCompleted>((_, _) => null)
            .LastEventOnly();

    private static DecisionProjection<string?> FaultOf(string machine) =>
        DecisionProjection.Create<string?>(null, new Tag("machine", machine))
            .On<FaultRaised>((_, e) => e.Code)
            .On<FaultCleared>((_, _) => null)
            .LastEventOnly();

    private static DecisionProjection<int?> CycleOf(string machine) =>
        DecisionProjection.Create<int?>(null, new Tag("machine", machine))
            .On<CycleStarted>((_, e) => e.Number)
            .On<CycleCompleted>((_, _) => null)
            .LastEventOnly();
}

/// <summary>The facts about an order that decisions need.</summary>
public sealed record Order(int Quantity, string? ClaimedBy, bool IsStarted = false);
