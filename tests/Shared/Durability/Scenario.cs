using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>What is done to a disk between two power cuts.</summary>
/// <param name="Name">What is done.</param>
/// <param name="Play">Does it on a client, from the first file operation to the last.</param>
internal sealed record Scenario(string Name, Action<SimulatedFileSystem, History> Play)
{
    /// <summary>The number of positions in a folder of event files: few, so that a few events go into several folders.</summary>
    public int ShardPositions { get; init; } = 4;

    /// <summary>What is there before; everything on it is durable.</summary>
    public Action<SimulatedDisk, History>? Before { get; init; }

    /// <summary>What is changed in a disk before it is used.</summary>
    public Action<SimulatedDisk>? Adjust { get; init; }

    /// <summary>What must be among the files whenever the power is cut, besides what is promised of every store.</summary>
    public Action<SimulatedDisk>? CheckFiles { get; init; }

    /// <summary>In how many rounds of a usual run one of its cases is tried: more than one where disks are slow to copy or to check.</summary>
    public int Every { get; init; } = 1;

    /// <summary>The scenario on a kind of disk, which is prepared once in a run of the tests.</summary>
    public ScenarioOnDisk On(VolumeKind kind) => ScenarioOnDisk.Of(this, kind);

    public override string ToString() => Name;
}
