using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Backup;

/// <summary>An operation of a target at which something happens.</summary>
internal sealed record CrashCase(CrashTarget Target, VolumeKind Kind, SimulatedDisk Start, Action<SimulatedDisk>? Adjust, int Before,
    List<Guid> Expected, int Operation, SimulatedOperation What)
{
    /// <summary>A case for each operation of the targets on each kind of volume.</summary>
    public static IEnumerable<CaseGroup<CrashCase>> Of(CrashTarget[] targets, VolumeKind[] kinds, Predicate<SimulatedOperation> which,
        Action<SimulatedDisk>? adjust = null) =>
        from kind in kinds
        from target in targets
        select new CaseGroup<CrashCase>(() => Of(target, kind, which, adjust));

    private static List<CrashCase> Of(CrashTarget target, VolumeKind kind, Predicate<SimulatedOperation> which, Action<SimulatedDisk>? adjust)
    {
        var start = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = 4 };
        adjust?.Invoke(start);
        target.Prepare(start);
        var before = target.StartsWhole ? BackupPlace.FindIds(start, target.Path)?.Count ?? 0 : 0;
        var found = new CrashCase(target, kind, start.Copy(), adjust, before, BackupPlace.Ids(start, SteppedStore.Root), 0, default);
        var disk = found.Copy();
        disk.Trace = [];
        target.Run(disk.Attach());
        var operations = disk.Trace.FindAll(static each => each.Changes);
        disk.Trace = null;
        BackupPlace.AssertWhole(disk, target.Path, found.Expected);
        return [.. operations.Select((operation, at) => found with { Operation = at, What = operation }).Where(each => which(each.What))];
    }

    public SimulatedDisk Copy()
    {
        var copy = Start.Copy();
        Adjust?.Invoke(copy);
        return copy;
    }

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
    }

    /// <summary>Cuts the power at the operation, and runs again on whatever that may leave. Returns how many states these were.</summary>
    public int Cut(Action<SimulatedDisk, int> cut)
    {
        var disk = Copy();
        cut(disk, Operation + 1);
        Attempt.UntilTheEnd(() => Target.Run(disk.Attach()));
        Assert.True(disk.IsOff);
        var states = 0;
        foreach (var powerCut in Cases.PowerCutsAt(Operation))
        {
            var after = disk.AfterPowerCut(powerCut);
            Adjust?.Invoke(after);
            try
            {
                AssertPart(after);
                Target.Run(after.Attach());
                BackupPlace.AssertWhole(after.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)), Target.Path, Expected);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"{powerCut}: {e.Message}", e);
            }
            states++;
        }
        return states;
    }

    public override string ToString() => $"{Target.Name} on {Kind}, operation {Operation} ({What})";
}
