namespace AssemblyLine;

/// <summary>The settings from the command line.</summary>
internal sealed record LineSettings
{
    public required string Store { get; init; }

    public required TimeSpan Duration { get; init; }

    public required int Machines { get; init; }

    /// <summary>Events per second of all machines together.</summary>
    public required double Rate { get; init; }

    public required int Seed { get; init; }

    /// <summary>Whether a machine whose process has ended gets a new one.</summary>
    public required bool Restart { get; init; }

    public required bool Plain { get; init; }

    /// <summary>The settings of one machine. There is one more operator than machines, so one is always free to take over.</summary>
    public MachineSettings OfMachine(string name, int seed) => new(name, Store, Machines + 1, Rate / Machines, seed);
}
