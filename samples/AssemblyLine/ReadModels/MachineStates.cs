using Opossum;

namespace AssemblyLine;

/// <summary>The current work of a machine and its totals.</summary>
public sealed record MachineState(string Machine)
{
    public string? Operator { get; init; }

    public int? Order { get; init; }

    public string? Fault { get; init; }

    public bool InCycle { get; init; }

    public bool IsPaused { get; init; }

    /// <summary>The order whose material it has.</summary>
    public int? Loaded { get; init; }

    /// <summary>Whether its last part was scrap, and nothing was changed since.</summary>
    public bool IsOff { get; init; }

    public int Cycles { get; init; }

    public int Scrap { get; init; }

    public int Faults { get; init; }

    public int Orders { get; init; }

    public static MachineState Apply(MachineState? before, IMachineEvent e)
    {
        var machine = before ?? new MachineState(e.Machine);
        return e switch
        {
            OperatorSignedIn signedIn => machine with { Operator = signedIn.Operator },
            OperatorSignedOut => machine with { Operator = null },
            ShiftHandover handover => machine with { Operator = handover.To },
            MachinePaused => machine with { IsPaused = true },
            MachineResumed => machine with { IsPaused = false },
            MaterialLoaded loaded => machine with { Loaded = loaded.Order },
            ParameterAdjusted or ToolChanged => machine with { IsOff = false },
            UnitRejected => machine with { IsOff = true, Scrap = machine.Scrap + 1 },
            MachineStarted or OrderStarted or UnitPassed or BatchCompleted => machine,
            OrderClaimed claimed => machine with { Order = claimed.Order },
            OrderCompleted => machine with { Order = null, Orders = machine.Orders + 1 },
            CycleStarted => machine with { InCycle = true },
            CycleCompleted => machine with { InCycle = false, Cycles = machine.Cycles + 1 },
            FaultRaised raised => machine with { Fault = raised.Code, Faults = machine.Faults + 1 },
            FaultCleared => machine with { Fault = null },
            _ => throw new ArgumentException($"Nobody has said what {e.GetType().Name} does to a machine.", nameof(e)),
        };
    }
}

/// <summary>The read model of the machines: one state each.</summary>
public sealed class MachineStates : Projection<MachineState>
{
    public MachineStates()
        : base("machine-states")
    {
        Follow<OperatorSignedIn>();
        Follow<OperatorSignedOut>();
        Follow<ShiftHandover>();
        Follow<MachineStarted>();
        Follow<MachinePaused>();
        Follow<MachineResumed>();
        Follow<MaterialLoaded>();
        Follow<ParameterAdjusted>();
        Follow<ToolChanged>();
        Follow<UnitRejected>();
        Follow<OrderClaimed>();
        Follow<OrderCompleted>();
        Follow<CycleStarted>();
        Follow<CycleCompleted>();
        Follow<FaultRaised>();
        Follow<FaultCleared>();
    }

    private void Follow<TEvent>()
        where TEvent : IMachineEvent => On<TEvent>(e => e.Machine, (machine, e) => MachineState.Apply(machine, e));
}
