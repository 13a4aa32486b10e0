using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Backup;

/// <summary>A snapshot, and the removal of older ones, that power cuts and failing operations interrupt at every file operation.</summary>
public sealed class SnapshotCrashTests(ITestOutputHelper output)
{
    private const string Root = "/safe/snapshots";

    // The older ones have the first three events, the new one has all.
    private const int EventsBefore = 3;

    internal static CrashScenario Crash { get; } = new("a snapshot that replaces older ones", static kind =>
    {
        var (start, expected) = StartOn(kind);
        return () =>
        {
            var disk = start.Copy();
            return CrashRun.Of(disk, () => Take(disk.Attach()), (left, _, isDone) => CheckAndGoOn(left, expected, isDone));
        };
    });

    [Fact]
    public void Power_cut_leaves_whole_snapshots_and_at_least_one() =>
        Cases.TryEach(CrashCut.Groups([Crash], VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.5);

    [Fact]
    public void Failing_operation_is_reported_and_leaves_whole_snapshots()
    {
        var groups = VolumeKinds.All.Select(kind => new CaseGroup<(SimulatedDisk Start, List<Guid> Expected, int Operation)>(() =>
        {
            var (start, expected) = StartOn(kind);
            var whole = start.Copy();
            whole.Trace = [];
            Take(whole.Attach());
            return [.. Enumerable.Range(0, whole.Trace.Count(static each => each.Changes)).Select(at => (start, expected, at))];
        }));
        Cases.TryEach(groups, static each =>
        {
            var disk = each.Start.Copy();
            var operations = 0;
            disk.Fail(new Fault { When = operation => operation.Changes && operations++ == each.Operation });
            var isDone = false;
            var error = Record.Exception(() => isDone = Take(disk.Attach()).RemovalProblems.Count == 0);
            Assert.True(error is null or StoreMaintenanceException or StoreOpenException or StoreLockTimeoutException, $"{error}");
            CheckAndGoOn(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)), each.Expected, isDone);
            CheckAndGoOn(disk, each.Expected, isDone);
            return 2;
        }, output, share: 0.25);
    }

    // On Windows a file in it may be open, or be read-only.
    [Fact]
    public void Snapshot_that_cannot_be_removed_keeps_none_from_being_made()
    {
        var (disk, expected) = StartOn(VolumeKind.Ext4);
        disk.Fail(new Fault
        {
            When = static operation => operation.Kind == OperationKind.Delete && operation.Path.Contains(".removed/", StringComparison.Ordinal),
            Error = FileError.AccessDenied,
            Lasts = true,
        });
        var first = Take(disk.Attach());
        BackupPlace.Append(disk, 1);

        var second = Take(disk.Attach(), new SnapshotOptions(), daysLater: 1);

        Assert.Equal((expected.Count, 2), (first.Head, first.RemovalProblems.Count));
        Assert.Equal((expected.Count + 1, 2), (second.Head, second.RemovalProblems.Count));
        Assert.Contains(".removed was not removed: ", second.RemovalProblems[0], StringComparison.Ordinal);
        Assert.Equal([first.Target, second.Target], StoreBackup.ListSnapshots(disk.Attach(), disk.LayoutOf(Root)).Select(each => each.Path));
    }

    private static (SimulatedDisk Start, List<Guid> Expected) StartOn(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = 4 };
        BackupPlace.Append(disk, 1, 2);
        Take(disk.Attach(), new SnapshotOptions());
        Take(disk.Attach(), new SnapshotOptions());
        BackupPlace.Append(disk, 1, 3);
        return (disk.Copy(), BackupPlace.Ids(disk, SteppedStore.Root));
    }

    private static BackupReport Take(SimulatedFileSystem client, SnapshotOptions? options = null, int daysLater = 0)
    {
        var clock = new SimulatedClock();
        clock.Set(TimeSpan.FromDays(daysLater));
        return StoreBackup.TakeSnapshot(client, SteppedStore.LayoutOn(client.Disk), Root, options ?? new SnapshotOptions { KeepLast = 1 }, clock);
    }

    private static void CheckAndGoOn(SimulatedDisk disk, List<Guid> expected, bool isDone)
    {
        Check(disk, expected, isDone);
        Take(disk.Attach(), daysLater: 1);
        var after = disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll));
        Assert.Equal(expected.Count, Assert.Single(Check(after, expected, isDone: true)).Head);
        Assert.DoesNotContain(after.Attach().List(Root), static name => name.EndsWith(".new", StringComparison.Ordinal));
    }

    private static IReadOnlyList<Snapshot> Check(SimulatedDisk disk, List<Guid> expected, bool isDone)
    {
        var list = StoreBackup.ListSnapshots(disk.Attach(), disk.LayoutOf(Root));
        Assert.NotEmpty(list);
        foreach (var each in list)
        {
            Assert.Null(each.Problem);
            Assert.Contains((int)each.Head, (int[])[EventsBefore, expected.Count]);
            BackupPlace.AssertWhole(disk, each.Path, expected[..(int)each.Head]);
        }
        if (isDone)
            Assert.Equal(expected.Count, list[^1].Head);
        return list;
    }
}
