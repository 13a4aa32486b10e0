using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>What is done to a disk between two power cuts.</summary>
/// <param name="Name">What is done.</param>
/// <param name="Play">Does it on a client, from the first file operation to the last.</param>
internal sealed record Scenario(string Name, Action<SimulatedFileSystem, History> Play)
{
    /// <summary>What is there before; everything on it is durable.</summary>
    public Action<SimulatedDisk, History>? Before { get; init; }

    /// <summary>What is changed in a disk before it is used.</summary>
    public Action<SimulatedDisk>? Adjust { get; init; }

    /// <summary>What must be among the files whenever the power is cut, besides what is promised of every store.</summary>
    public Action<SimulatedDisk>? CheckFiles { get; init; }

    /// <summary>The first position that matters; those before are many, and all alike.</summary>
    public long From { get; init; } = 1;

    /// <summary>
    /// A usual run tries one of so many of its cases; more than one where there are many, or the disks are slow to copy or to check.
    /// </summary>
    public int OneOf { get; init; } = 5;

    public (SimulatedDisk Disk, History History) Start(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        Adjust?.Invoke(disk);
        var history = new History();
        Before?.Invoke(disk, history);
        return (disk.AfterPowerCut(new PowerCut(PowerCutMode.KeepsAll)), history);
    }

    public (SimulatedDisk Disk, History History) Copy((SimulatedDisk Disk, History History) start)
    {
        var disk = start.Disk.AfterPowerCut(new PowerCut(PowerCutMode.KeepsAll));
        Adjust?.Invoke(disk);
        return (disk, start.History.Copy());
    }

    public override string ToString() => Name;
}
