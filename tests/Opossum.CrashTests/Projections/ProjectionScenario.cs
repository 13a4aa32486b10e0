using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>What a leader does until it is interrupted.</summary>
/// <param name="Name">What it does.</param>
/// <param name="Before">What is there before; everything on it is durable.</param>
/// <param name="Prepare">What the process has done already: it is not interrupted there.</param>
/// <param name="Play">What is interrupted.</param>
internal sealed record ProjectionScenario(string Name, Action<SimulatedDisk> Before, Action<SteppedProjection> Prepare,
    Action<SteppedProjection> Play)
{
    private static readonly NewEvent[] first =
    [
        Counts.Counted("a", "b"), Counts.Counted("a"), Counts.Counted("c"), Counts.Deleted("b"), Counts.Counted("d"), Counts.Counted("e", "A"),
        NewEvent.FromJson("ignored", "{}"),
    ];

    private static readonly NewEvent[] second =
    [
        Counts.Touched("a", "c", "d"), Counts.Deleted("c"), Counts.Counted("b"), Counts.Counted("f"), Counts.Counted("c"), Counts.Touched("d"),
        Counts.Deleted("d"),
        Counts.Touched("a", "e"),
        NewEvent.FromJson("ignored", "{}"),
    ];

    public static readonly ProjectionScenario FirstBuild = new("the first build", disk => Append(disk, first), _ => { }, process => process.Run());

    public static readonly ProjectionScenario Update = new("an update", disk => Append(disk, first), process =>
    {
        process.Run();
        process.Append(second);
    }, process => process.Run());

    public static readonly ProjectionScenario TakeOver = new("taking over", disk =>
    {
        Append(disk, first);
        new SteppedProjection(disk.Attach()).Run();
        Append(disk, second);
    }, _ => { }, process => process.Run());

    public static readonly ProjectionScenario Rebuild = new("a rebuild", disk => Append(disk, first), process =>
    {
        process.Run();
        process.Append(second);
        process.RequestRebuild();
    }, process => process.Run());

    /// <summary>A state at a time: each is flushed by itself. One is made, changed and deleted by turns, with others between.</summary>
    public static readonly ProjectionScenario OneByOne = new("changes one by one", disk => Append(disk, first), process => process.Run(), process =>
    {
        foreach (var e in (NewEvent[])[Counts.Counted("a"), Counts.Deleted("a"), Counts.Counted("e"), Counts.Counted("a"), Counts.Deleted("a"),
            Counts.Deleted("c"), Counts.Touched("d")])
        {
            process.Append(e);
            process.Run();
        }
    });

    /// <summary>Each event an append of its own, so that a power cut, a truncation or a backup may leave any number of them.</summary>
    public static readonly ProjectionScenario Updates = new("updates", disk => Append(disk, first), process => process.Run(), process =>
    {
        foreach (var some in second.Chunk(4))
        {
            foreach (var e in some)
                process.Append(e);
            process.Run();
        }
    });

    public static readonly ProjectionScenario RebuildOfUpdates = new("a rebuild after updates", disk => Append(disk, first), process =>
    {
        process.Run();
        foreach (var e in second)
            process.Append(e);
        process.RequestRebuild();
    }, process => process.Run());

    /// <summary>How many events there are before.</summary>
    public static int FirstCount => first.Length;

    public static readonly ProjectionScenario[] All = [FirstBuild, Update, TakeOver, Rebuild];

    public SimulatedDisk Start(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        Before(disk);
        return disk.Copy();
    }

    /// <summary>A process that is about to do it, on a disk of its own.</summary>
    public SteppedProjection Ready(SimulatedDisk start, bool flush = true)
    {
        var process = new SteppedProjection(start.Copy().Attach(), flush: flush);
        Prepare(process);
        return process;
    }

    /// <summary>The operations that it consists of.</summary>
    public List<SimulatedOperation> Operations(SimulatedDisk start, bool flush = true)
    {
        var process = Ready(start, flush);
        process.Client.Disk.Trace = [];
        Play(process);
        return process.Client.Disk.Trace.FindAll(operation => operation.Changes);
    }

    /// <summary>Checks what a power cut leaves of a disk: exact states, none behind what was read before, and all that stays so.</summary>
    public static void CheckAfter(SimulatedDisk disk, Dictionary<string, ProjectionEntry<Count>> before, PowerCut cut)
    {
        disk = disk.AfterPowerCut(cut);
        var process = new SteppedProjection(disk.Attach());
        var events = process.Events();
        process.CheckStates(events);
        process.CheckFound();
        var found = process.ReadAll();
        foreach (var (key, state) in before)
        {
            Assert.True(found.TryGetValue(key, out var now)
                ? now.Position >= state.Position
                : events.Any(e => e.Type == "deleted" && e.Position > state.Position && e.Tags.Contains(new Tag(Counts.Key, key))),
                $"{key} was at {state.Position}, is at {now?.Position}");
        }

        process.Run();
        process.CheckExact();
        // What it says is so, on the disk too.
        process = new SteppedProjection(disk.AfterPowerCut(cut with { Seed = cut.Seed + 1000 }).Attach());
        process.CheckStates(events);
        process.Append(Counts.Counted("a"), Counts.Deleted("e"));
        process.Run();
        process.CheckExact();
    }

    /// <summary>The same where nothing was read before.</summary>
    public static void CheckAfter(SimulatedDisk disk, PowerCut cut)
    {
        var process = new SteppedProjection(disk.AfterPowerCut(cut).Attach());
        process.CheckStates(process.Events());
        process.Run();
        process.CheckExact();
    }

    public override string ToString() => Name;

    public static void Append(SimulatedDisk disk, params NewEvent[] events)
    {
        var store = FileSystemEventStore.Open(new OpossumOptions { TimeProvider = disk.Clock }, disk.Attach(), SteppedProjection.Root);
        foreach (var e in events)
            store.AppendAsync([e]).GetAwaiter().GetResult();
        store.Dispose();
    }
}
