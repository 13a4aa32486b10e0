using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Failures;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Backup;

/// <summary>A snapshot, and the removal of older ones, that power cuts and failing operations interrupt at every file operation.</summary>
public sealed class SnapshotCrashTests(ITestOutputHelper output)
{
    private const string Root = "/safe/snapshots";
    private const string Staging = Root + "/snapshot.new";
    private const string SecondFolder = Staging + "/Events/0000000004";

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

    // On Windows, while a scanner has a file below it open.
    [Fact]
    public void What_was_copied_takes_its_name_as_soon_as_nobody_has_a_file_of_it_open()
    {
        var (disk, expected) = StartOn(VolumeKind.Posix);
        var moves = 0;
        disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.Move
                && operation.Path is Staging or $"{BackupPlace.Restored}/{StoreLayout.EventsFolderStagingName}" && ++moves % 20 != 0,
            Error = FileError.InUse,
            Lasts = true,
        });

        var snapshot = Take(disk.Attach());
        StoreBackup.Restore(disk.Attach(), disk.LayoutOf(snapshot.Target), BackupPlace.Restored, null, disk.Clock);

        Assert.Equal(expected, BackupPlace.Ids(disk, BackupPlace.Restored));
        Assert.Equal(40, moves);
    }

    /// <summary>At every operation but those that follow a look at the duty at once.</summary>
    [Fact]
    public void Machine_that_lost_its_duty_removes_and_publishes_nothing_of_the_one_that_took_it() =>
        Cases.TryEach(VolumeKinds.Network.Select(static kind => new CaseGroup<LossCase>(() => LossesOn(kind))), TryLoss, output, "losses");

    [Theory]
    [InlineData(nameof(OperationKind.FlushFolder))]
    [InlineData(nameof(OperationKind.List))]
    public void Snapshot_that_was_made_is_named_also_when_older_ones_could_not_be_looked_at(string failing)
    {
        var (disk, expected) = StartOn(VolumeKind.Posix);
        var client = disk.Attach();
        var isMade = false;
        client.BeforeOperation = each => isMade |= IsPublishing(each);
        disk.Fail(new Fault { When = each => isMade && $"{each.Kind}" == failing && each.Path == Root });

        var error = Assert.Throws<StoreMaintenanceException>(() => Take(client, daysLater: 1));

        var list = StoreBackup.ListSnapshots(disk.Attach(), disk.LayoutOf(Root));
        Assert.StartsWith($"{list[^1].Path} was made, but no older snapshot was removed: ", error.Message, StringComparison.Ordinal);
        Assert.Equal([EventsBefore, EventsBefore, expected.Count], list.Select(static each => (int)each.Head));
    }

    private static List<LossCase> LossesOn(VolumeKind kind)
    {
        var (start, expected) = StartOn(kind);
        var interrupted = start.Attach();
        Stop(interrupted, IsHalf);
        interrupted.LoseConnection();
        var begun = start.Copy();
        var client = start.Attach();
        var cases = new List<LossCase>();
        var (operations, isMarked) = (0, false);
        client.BeforeOperation = operation =>
        {
            operations++;
            // Until its mark is written, the other machine's one would be overwritten: that one would have lost the duty.
            isMarked |= operation.Kind == OperationKind.ReadPastCache && operation.Path == new StoreLayout(Root).SnapshotsLockFile;
            if (!isMarked || operation.Kind is OperationKind.Move or OperationKind.Delete or OperationKind.Close)
                return;
            cases.Add(new LossCase(begun, expected, operations, $"{operation}", IsWhole: false));
            cases.Add(new LossCase(begun, expected, operations, $"{operation}", IsWhole: true));
        };
        Take(client);
        return cases;
    }

    private static int TryLoss(LossCase each)
    {
        var disk = each.Start.Copy();
        var client = disk.Attach();
        var other = disk.Attach();
        var operations = 0;
        List<string> made = [];
        client.BeforeOperation = _ =>
        {
            if (++operations != each.Operation)
                return;
            client.LoseConnection();
            Stop(other, each.IsWhole ? IsPublishing : IsHalf);
            made = FilesOf(disk, Staging);
        };

        var error = Record.Exception(() => Take(client));

        Assert.True(operations >= each.Operation);
        Assert.True(error is null or EventStoreException, $"{error}");
        if (error?.InnerException is LockLostException)
            Assert.Contains($"The lock {Root}/", error.Message, StringComparison.Ordinal);
        Assert.NotEmpty(made);
        Assert.Empty(made.Except(FilesOf(disk, Staging)));
        other.LoseConnection();
        CheckAndGoOn(disk, each.Expected, isDone: false);
        return 1;
    }

    private static bool IsHalf(SimulatedOperation operation) => operation.Path.StartsWith(SecondFolder, StringComparison.Ordinal);

    private static bool IsPublishing(SimulatedOperation operation) => operation.Kind == OperationKind.Move && operation.Path == Staging
        && !operation.To!.EndsWith(".removed", StringComparison.Ordinal);

    // As a process that is paused there: it keeps its locks.
    private static void Stop(SimulatedFileSystem client, Predicate<SimulatedOperation> isLast)
    {
        var isStopped = false;
        client.BeforeOperation = operation =>
        {
            isStopped |= isLast(operation);
            if (isStopped)
                throw new InvalidOperationException("It has stopped.");
        };
        Assert.Throws<InvalidOperationException>(() => Take(client));
    }

    private static List<string> FilesOf(SimulatedDisk disk, string folder)
    {
        var client = disk.Attach();
        return [.. client.List(folder).Select(name => $"{folder}/{name}")
            .SelectMany(path => client.GetKind(path) == EntryKind.Folder ? FilesOf(disk, path) : [path])];
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

    private sealed record LossCase(SimulatedDisk Start, List<Guid> Expected, int Operation, string Text, bool IsWhole)
    {
        public override string ToString() =>
            $"the duty is lost at operation {Operation} ({Text}), the other one's copy is {(IsWhole ? "whole" : "begun")}";
    }
}
