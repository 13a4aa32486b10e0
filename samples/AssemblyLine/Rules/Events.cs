using Opossum;

namespace AssemblyLine;

// The events of an assembly line. [EventType] gives the name that is stored; [Tag] marks what an event can be queried by.

public interface IOrderEvent
{
    int Order { get; }
}

public interface IMachineEvent
{
    string Machine { get; }
}

[EventType("order-released")]
public sealed record OrderReleased([property: Tag("order")] int Order, string Article, int Quantity) : IOrderEvent;

[EventType("order-claimed")]
public sealed record OrderClaimed([property: Tag("order")] int Order, [property: Tag("machine")] string Machine) : IOrderEvent, IMachineEvent;

[EventType("order-completed")]
public sealed record OrderCompleted([property: Tag("order")] int Order, [property: Tag("machine")] string Machine) : IOrderEvent, IMachineEvent;

[EventType("operator-signed-in")]
public sealed record OperatorSignedIn([property: Tag("operator")] string Operator, [property: Tag("machine")] string Machine) : IMachineEvent;

[EventType("operator-signed-out")]
public sealed record OperatorSignedOut([property: Tag("operator")] string Operator, [property: Tag("machine")] string Machine) : IMachineEvent;

/// <summary>A machine began to make a part.</summary>
/// <param name="Machine">The machine.</param>
/// <param name="Order">The order that the part is for.</param>
/// <param name="Number">The number of the part in the order, from 1.</param>
[EventType("cycle-started")]
public sealed record CycleStarted([property: Tag("machine")] string Machine, [property: Tag("order")] int Order, int Number)
    : IOrderEvent, IMachineEvent;

/// <summary>The part is made.</summary>
[EventType("cycle-completed")]
public sealed record CycleCompleted([property: Tag("machine")] string Machine, [property: Tag("order")] int Order, int Number)
    : IOrderEvent, IMachineEvent;

[EventType("fault-raised")]
public sealed record FaultRaised([property: Tag("machine")] string Machine, string Code) : IMachineEvent;

[EventType("fault-cleared")]
public sealed record FaultCleared([property: Tag("machine")] string Machine, string Code) : IMachineEvent;
