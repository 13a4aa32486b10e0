using System.Collections.Concurrent;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>A scenario on a kind of disk: what its plays begin with, and the operations that one consists of. All suites share it.</summary>
internal sealed class ScenarioOnDisk
{
    private static readonly ConcurrentDictionary<(Scenario, VolumeKind), ScenarioOnDisk> prepared = new();

    private readonly Lazy<(SimulatedDisk Disk, History History)> start;
    private readonly Lazy<(List<SimulatedOperation> Operations, SimulatedFileSystem Client)> trace;
    private readonly Lazy<List<SimulatedOperation>> changes, own;

    /// <param name="scenario">The scenario.</param>
    /// <param name="kind">The kind of disk.</param>
    /// <param name="beginning">What its plays begin with; null for what the scenario says.</param>
    public ScenarioOnDisk(Scenario scenario, VolumeKind kind, (SimulatedDisk, History)? beginning = null)
    {
        (Scenario, Kind) = (scenario, kind);
        start = beginning is { } given ? new(given) : new(Start);
        trace = new(Trace);
        changes = new(() => trace.Value.Operations.FindAll(static each => each.Changes));
        own = new(() => trace.Value.Operations.FindAll(each => each.Client == trace.Value.Client));
    }

    public Scenario Scenario { get; }

    public VolumeKind Kind { get; }

    /// <summary>The operations of a play that change, flush, lock or unlock something: the power can be cut after each.</summary>
    public IReadOnlyList<SimulatedOperation> Operations => changes.Value;

    /// <summary>All operations of a play, those that read among them.</summary>
    public IReadOnlyList<SimulatedOperation> AllOperations => trace.Value.Operations;

    /// <summary>All operations of the client that plays, those that read among them.</summary>
    public IReadOnlyList<SimulatedOperation> OwnOperations => own.Value;

    public static ScenarioOnDisk Of(Scenario scenario, VolumeKind kind) =>
        prepared.GetOrAdd((scenario, kind), static each => new ScenarioOnDisk(each.Item1, each.Item2));

    /// <summary>A disk and a history of its own for a play.</summary>
    public (SimulatedDisk Disk, History History) Begin()
    {
        var disk = start.Value.Disk.Copy();
        Scenario.Adjust?.Invoke(disk);
        return (disk, start.Value.History.Copy());
    }

    public override string ToString() => $"{Scenario} on {Kind}";

    private (SimulatedDisk, History) Start()
    {
        var disk = new SimulatedDisk(Kind, new SimulatedClock()) { ShardPositions = Scenario.ShardPositions };
        Scenario.Adjust?.Invoke(disk);
        var history = new History();
        Scenario.Before?.Invoke(disk, history);
        return (disk.Copy(), history);
    }

    private (List<SimulatedOperation>, SimulatedFileSystem) Trace()
    {
        var (disk, history) = Begin();
        var client = disk.Attach();
        disk.Trace = [];
        Scenario.Play(client, history);
        Assert.Equal(disk.OperationCount, disk.Trace.Count(static each => each.Changes));
        return (disk.Trace, client);
    }
}
