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
            .LastEventOnly();

    /// <summary>The state of a machine: its operator, its order, its fault, and the part it is making.</summary>
    public static DecisionProjection<(string? Operator, int? Order, string? Fault, int? Cycle)> Machine(string machine) =>
        DecisionProjection.Combine(OperatorOf(machine), OrderOf(machine), FaultOf(machine), CycleOf(machine));

    /// <summary>An order's quantity and the machine that has claimed it; null when it was not released.</summary>
    public static DecisionProjection<Order?> Order(int order) =>
        DecisionProjection.Create<Order?>(null, Tag.From("order", order))
            .On<OrderReleased>((_, e) => new Order(e.Quantity, ClaimedBy: null))
            .On<OrderClaimed>((released, e) => released! with { ClaimedBy = e.Machine });

    /// <summary>The number of finished parts of an order.</summary>
    public static DecisionProjection<int> PartsOf(int order) =>
        DecisionProjection.Create(0, Tag.From("order", order)).On<CycleCompleted>((_, e) => e.Number).LastEventOnly();

    /// <summary>The number of the next order.</summary>
    public static DecisionProjection<int> NextOrder() =>
        DecisionProjection.Create(1).On<OrderReleased>((_, e) => e.Order + 1).LastEventOnly();

    private static DecisionProjection<string?> OperatorOf(string machine) =>
        DecisionProjection.Create<string?>(null, new Tag("machine", machine))
            .On<OperatorSignedIn>((_, e) => e.Operator)
            .On<OperatorSignedOut>((_, _) => null)
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
public sealed record Order(int Quantity, string? ClaimedBy);
