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

/// <summary>The machine makes the order's first part.</summary>
[EventType("order-started")]
public sealed record OrderStarted([property: Tag("order")] int Order, [property: Tag("machine")] string Machine) : IOrderEvent, IMachineEvent;

/// <summary>Another box of an order's parts is full, or its last one is closed.</summary>
[EventType("batch-completed")]
public sealed record BatchCompleted([property: Tag("order")] int Order, [property: Tag("machine")] string Machine, int Batch)
    : IOrderEvent, IMachineEvent;

/// <summary>The machine's process has begun, also after it was killed.</summary>
[EventType("machine-started")]
public sealed record MachineStarted([property: Tag("machine")] string Machine) : IMachineEvent;

[EventType("machine-paused")]
public sealed record MachinePaused([property: Tag("machine")] string Machine) : IMachineEvent;

[EventType("machine-resumed")]
public sealed record MachineResumed([property: Tag("machine")] string Machine) : IMachineEvent;

/// <summary>The machine has the material for an order.</summary>
[EventType("material-loaded")]
public sealed record MaterialLoaded([property: Tag("machine")] string Machine, [property: Tag("order")] int Order, string Material)
    : IOrderEvent, IMachineEvent;

[EventType("parameter-adjusted")]
public sealed record ParameterAdjusted([property: Tag("machine")] string Machine, string Parameter, double Value) : IMachineEvent;

[EventType("tool-changed")]
public sealed record ToolChanged([property: Tag("machine")] string Machine, string Tool) : IMachineEvent;

[EventType("operator-signed-in")]
public sealed record OperatorSignedIn([property: Tag("operator")] string Operator, [property: Tag("machine")] string Machine) : IMachineEvent;

[EventType("operator-signed-out")]
public sealed record OperatorSignedOut([property: Tag("operator")] string Operator, [property: Tag("machine")] string Machine) : IMachineEvent;

/// <summary>One operator leaves the machine to another, without a moment in which it has none.</summary>
[EventType("shift-handover")]
public sealed record ShiftHandover([property: Tag("operator")] string From, [property: Tag("operator")] string To,
    [property: Tag("machine")] string Machine) : IMachineEvent;

/// <summary>A machine began to make a part.</summary>
/// <param name="Machine">The machine.</param>
/// <param name="Order">The order that the part is for.</param>
/// <param name="Number">The number of the part in the order, from 1.</param>
[EventType("cycle-started")]
public sealed record CycleStarted([property: Tag("machine")] string Machine, [property: Tag("order")] int Order, int Number)
    : IOrderEvent, IMachineEvent;

/// <summary>The part is made. Whether it is good, the event after it says.</summary>
[EventType("cycle-completed")]
public sealed record CycleCompleted([property: Tag("machine")] string Machine, [property: Tag("order")] int Order, int Number)
    : IOrderEvent, IMachineEvent;

[EventType("unit-passed")]
public sealed record UnitPassed([property: Tag("machine")] string Machine, [property: Tag("order")] int Order, int Number)
    : IOrderEvent, IMachineEvent;

/// <summary>The part is scrap: the order needs another one of its number, and the machine a tool or a better setting.</summary>
[EventType("unit-rejected")]
public sealed record UnitRejected([property: Tag("machine")] string Machine, [property: Tag("order")] int Order, int Number, string Reason)
    : IOrderEvent, IMachineEvent;

[EventType("fault-raised")]
public sealed record FaultRaised([property: Tag("machine")] string Machine, string Code) : IMachineEvent;

[EventType("fault-cleared")]
public sealed record FaultCleared([property: Tag("machine")] string Machine, string Code) : IMachineEvent;
