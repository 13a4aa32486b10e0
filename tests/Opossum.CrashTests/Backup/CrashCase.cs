using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Backup;

/// <summary>An operation of a target at which something happens.</summary>
internal sealed record CrashCase(CrashTarget Target, VolumeKind Kind, SimulatedDisk Start, int Before, List<Guid> Expected, int Operation,
    SimulatedOperation What)
{
    /// <summary>A case for each operation of the targets on each kind of volume.</summary>
    public static IEnumerable<CaseGroup<CrashCase>> Of(CrashTarget[] targets, VolumeKind[] kinds, Predicate<SimulatedOperation> which) =>
        from kind in kinds
        from target in targets
        select new CaseGroup<CrashCase>(() => Of(target, kind, which));

    /// <summary>A target, and what must hold after a power cut: the next run completes it.</summary>
    public static CrashScenario Crash(CrashTarget target) => new(target.Name, kind =>
    {
        var start = StartOf(target, kind);
        return () =>
        {
            var disk = start.Copy();
            return CrashRun.Of(disk, () => target.Run(disk.Attach()), start.CheckAfter);
        };
    });

    public SimulatedDisk Copy() => Start.Copy();

    /// <summary>A reader of the folder sees whole appends, from the first one, and at least those that were there before.</summary>
    public void AssertPart(SimulatedDisk disk)
    {
        if (!Target.StartsWhole)
            return;
        var found = BackupPlace.FindIds(disk, Target.Path);
        if (found is null)
        {
            Assert.Equal(0, Before);
            return;
        }
        Assert.InRange(found.Count, Target.IsAllOrNothing ? Expected.Count : Before, Expected.Count);
        Assert.Equal(Expected[..found.Count], found);
        Target.CheckPart?.Invoke(disk);
    }

    public override string ToString() => $"{Target.Name} on {Kind}, operation {Operation} ({What})";

    private static CrashCase StartOf(CrashTarget target, VolumeKind kind)
    {
        var start = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = 4 };
        target.Adjust?.Invoke(start);
        target.Prepare(start);
        var before = target.StartsWhole ? BackupPlace.FindIds(start, target.Path)?.Count ?? 0 : 0;
        return new CrashCase(target, kind, start.Copy(), before, BackupPlace.Ids(start, SteppedStore.Root), 0, default);
    }

    private static List<CrashCase> Of(CrashTarget target, VolumeKind kind, Predicate<SimulatedOperation> which)
    {
        var start = StartOf(target, kind);
        var disk = start.Copy();
        disk.Trace = [];
        target.Run(disk.Attach());
        var operations = disk.Trace.FindAll(static each => each.Changes);
        disk.Trace = null;
        start.AssertDone(disk);
        return [.. operations.Select((operation, at) => start with { Operation = at, What = operation }).Where(each => which(each.What))];
    }

    private void CheckAfter(SimulatedDisk after, PowerCut cut, bool isDone)
    {
        if (isDone)
            AssertDone(after.Copy());
        AssertPart(after);
        Target.Run(after.Attach());
        AssertDone(after.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
    }

    private void AssertDone(SimulatedDisk disk)
    {
        BackupPlace.AssertWhole(disk, Target.Path, Expected);
        Target.CheckDone?.Invoke(disk);
    }
}
