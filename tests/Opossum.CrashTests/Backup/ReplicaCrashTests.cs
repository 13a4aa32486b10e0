using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage;
using Opossum.Storage.Replicas;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Repair;

namespace Opossum.Tests.Backup;

/// <summary>Replicas that power cuts, kills and failing operations interrupt at every file operation.</summary>
public sealed class ReplicaCrashTests(ITestOutputHelper output)
{
    private const int StepsMax = 30;

    private static readonly CrashTarget first = Target("a first copy", static disk => BackupPlace.Append(disk, 1, 3, 1, 2, 1, 1));

    private static readonly CrashTarget update = Target("an update", static disk =>
    {
        BackupPlace.Append(disk, 1, 3);
        ReplicaPlace.Update(disk.Attach());
        BackupPlace.Append(disk, 1, 1, 4, 1, 2, 1);
    });

    private static readonly CrashTarget sealedFirst = Target("a first copy of sealed folders", static disk =>
    {
        BackupPlace.Append(disk, 1, 1, 3, 1, 2, 1, 4, 1);
        Seal(disk);
    });

    private static readonly CrashTarget sealedRuns = Target("a first copy of sealed folders that the store has in runs", static disk =>
    {
        BackupPlace.Append(disk, 1, 1, 3, 1, 2, 1, 4, 1);
        var store = SteppedStore.Open(disk.Attach(), runs: new RunSettings { Length = 2, Fan = 2, LengthMax = 8 });
        store.MakeRuns();
        store.Close();
        Seal(disk);
    });

    private static readonly CrashTarget sealedLater = Target("sealing and unsealing", static disk =>
    {
        BackupPlace.Append(disk, 1, 1, 3, 1, 2, 1);
        Seal(disk, keep: 2);
        ReplicaPlace.Update(disk.Attach());
        StoreSealing.Unseal(disk.Attach(), SteppedStore.LayoutOn(disk), after: 0, upTo: 1, disk.Clock);
        BackupPlace.Append(disk, 1, 1);
        StoreSealing.Seal(disk.Attach(), SteppedStore.LayoutOn(disk), keepNewestFolders: 1, disk.Clock);
        StoreSealing.Unseal(disk.Attach(), SteppedStore.LayoutOn(disk), after: 0, upTo: 1, disk.Clock);
    });

    private static readonly CrashTarget redacted = Target("a redaction", static disk =>
    {
        BackupPlace.Append(disk, 1, 3, 1, 2, 1);
        Seal(disk);
        ReplicaPlace.Update(disk.Attach());
        StoreRepair.Run(disk.Attach(), SteppedStore.LayoutOn(disk), disk.Clock, progress: null, Remedies.Redact(disk.Clock, [2, 7], ["text"]));
        BackupPlace.Append(disk, 1);
    }, changesOld: true);

    private static readonly CrashTarget[] all = [first, update, sealedFirst, sealedRuns, sealedLater, redacted];

    internal static CrashScenario[] CrashScenarios { get; } = [.. all.Select(CrashCase.Crash)];

    // As a share whose server is gone.
    [Fact]
    public void A_former_store_that_answers_no_call_does_not_keep_the_replica_from_being_promoted()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        SteppedStore.Open(disk.Attach()).Append(new History().New());
        ReplicaPlace.Update(disk.Attach());
        var (client, layout) = (disk.Attach(), disk.LayoutOf(ReplicaPlace.Root));
        using var ending = new CancellationTokenSource();
        client.BeforeOperation = operation =>
        {
            if (operation.Path.StartsWith($"{SteppedStore.Root}/", StringComparison.Ordinal))
                ending.Token.WaitHandle.WaitOne();
        };

        var report = new Promotion(client, layout, disk.Clock) { FormerTimeout = TimeSpan.FromMilliseconds(1) }.Run();

        Assert.Equal((2, false), (report.Term, report.FormerIsClosed));
        Assert.Equal(EntryKind.Missing, disk.Attach().GetKind(layout.ReplicaFile));
        ending.Cancel();
    }

    [Fact]
    public void Power_cut_leaves_a_prefix_and_the_next_step_completes_it() => Cases.TryEach(
        CrashCut.Groups(CrashScenarios, VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.75);

    [Fact]
    public void What_a_killed_follower_left_is_durable_after_the_next()
    {
        Cases.TryEach(CrashCase.Of(all, VolumeKinds.All, static _ => true), each =>
        {
            var disk = each.Copy();
            var client = disk.Attach();
            var operations = 0;
            client.BeforeOperation = operation =>
            {
                if (operation.Changes && operations++ == each.Operation)
                    client.Kill();
            };
            Attempt.UntilTheEnd(() => each.Target.Run(client));
            each.AssertPart(disk);
            each.Target.Run(disk.Attach());
            ReplicaPlace.AssertSame(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
            return 1;
        }, output, Cases.PowerCuts, share: 0.25);
    }

    // What the store's index says of a sealed folder says nothing of the files before it.
    [Fact]
    public void Append_that_begins_in_event_files_and_ends_in_a_sealed_folder_has_its_lines_in_the_replica()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()) { ShardPositions = 4 };
        BackupPlace.Append(disk, 1, 1);
        ReplicaPlace.Update(disk.Attach());
        BackupPlace.Append(disk, 3, 1, 2, 1, 4, 1);
        Seal(disk);
        StoreSealing.Unseal(disk.Attach(), SteppedStore.LayoutOn(disk), after: 0, upTo: 1, disk.Clock);

        ReplicaPlace.Update(disk.Attach());

        Assert.Empty(StoreCheck.Run(disk.Attach(), disk.LayoutOf(ReplicaPlace.Root)).Findings);
        ReplicaPlace.AssertSame(disk);
    }

    // A sealed copy that ends inside an append is not shown to readers, and must not stay as it was.
    [Fact]
    public void Redaction_after_a_killed_first_copy_reaches_every_copy()
    {
        Cases.TryEach(CrashCase.Of([sealedFirst], [VolumeKind.Ext4], static _ => true), each =>
        {
            var disk = each.Copy();
            var client = disk.Attach();
            var operations = 0;
            client.BeforeOperation = operation =>
            {
                if (operation.Changes && operations++ == each.Operation)
                    client.Kill();
            };
            Attempt.UntilTheEnd(() => each.Target.Run(client));
            StoreRepair.Run(disk.Attach(), SteppedStore.LayoutOn(disk), disk.Clock, progress: null, Remedies.Redact(disk.Clock, [3, 4], ["text"]));
            each.Target.Run(disk.Attach());
            ReplicaPlace.AssertSame(disk);
            return 1;
        }, output, share: 0.25);
    }

    [Fact]
    public void Failing_operation_is_reported_and_the_next_step_goes_on()
    {
        FileError[] errors = [FileError.Other, FileError.DiskFull, FileError.AccessDenied, FileError.InUse];
        var groups = CrashCase.Of(all, VolumeKinds.All, static operation => operation.Kind is not (OperationKind.Lock or OperationKind.Unlock))
            .Select(group => group.With(errors, static (each, error) => (Case: each, Error: error)));
        Cases.TryEach(groups, each =>
        {
            var disk = each.Case.Copy();
            var client = disk.Attach();
            var operations = 0;
            disk.Fail(new Fault
            {
                When = operation => operation.Client == client && operation.Changes && operations++ == each.Case.Operation,
                Error = each.Error,
                DropsDirtyBytes = each.Case.What.IsFlush,
            });
            var error = Record.Exception(() => each.Case.Target.Run(client));
            Assert.True(error is null or StoreMaintenanceException or StoreOpenException or StoreLockTimeoutException, $"{error}");
            each.Case.AssertPart(disk);
            each.Case.AssertPart(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
            each.Case.Target.Run(disk.Attach());
            ReplicaPlace.AssertSame(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
            return 3;
        }, output, share: 0.25);
    }

    // A share that is away, or a disk that was pulled: that of the store, of the replica, or of both.
    [Fact]
    public void Disk_that_goes_away_at_any_operation_and_comes_back_is_followed_again()
    {
        (string Side, FileError Error)[] ways =
        [
            (SteppedStore.Root, FileError.HandleLost), (SteppedStore.Root, FileError.Other),
            (ReplicaPlace.Root, FileError.HandleLost), (ReplicaPlace.Root, FileError.Other), ("", FileError.HandleLost),
        ];
        var groups = CrashCase.Of(all, VolumeKinds.All, static _ => true)
            .Select(group => group.With(ways, static (each, way) => (Case: each, way.Side, way.Error)));
        Cases.TryEach(groups, each =>
        {
            var disk = each.Case.Copy();
            var client = disk.Attach();
            var (operations, isAway) = (0, false);
            client.BeforeOperation = operation =>
            {
                if (!operation.Changes || operations++ != each.Case.Operation)
                    return;
                isAway = true;
                if (each.Side.Length == 0)
                    client.LoseMount();
            };
            disk.Fail(new Fault
            {
                When = operation => isAway && each.Side.Length > 0 && operation.Client == client
                    && operation.Path.StartsWith(each.Side, StringComparison.Ordinal),
                Error = each.Error,
                Lasts = true,
            });
            using var follower = FollowerOf(client);
            for (var steps = 0; !isAway; steps++)
            {
                Assert.True(steps < StepsMax, "The operation does not come.");
                Step(follower, disk);
            }
            for (var looks = 0; looks < 3; looks++)
                Assert.False(Step(follower, disk));
            each.Case.AssertPart(disk);
            isAway = false;
            client.MountAgain();
            FollowToTheEnd(follower, disk);
            ReplicaPlace.AssertSame(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
            return 2;
        }, output, share: 0.25);
    }

    [Fact]
    public void Nothing_is_written_to_the_folder_below_a_mount_that_is_gone()
    {
        (VolumeKind, string)[] cases = [.. VolumeKinds.All.SelectMany(_ => new[] { SteppedStore.Root, ReplicaPlace.Root },
            static (kind, side) => (kind, side))];
        Cases.TryEach(cases, static each =>
        {
            var (kind, side) = each;
            var disk = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = 4 };
            BackupPlace.Append(disk, 1, 3);
            var client = disk.Attach();
            using var follower = FollowerOf(client);
            FollowToTheEnd(follower, disk);
            disk.Attach().MoveFolder(side, $"{side}-mounted");
            disk.Attach().CreateFolder(side);
            client.LoseMount();
            client.MountAgain();
            for (var looks = 0; looks < 3; looks++)
                Assert.False(Step(follower, disk));
            Assert.Empty(disk.Attach().List(side));
            disk.Attach().DeleteFolder(side);
            disk.Attach().MoveFolder($"{side}-mounted", side);
            BackupPlace.Append(disk, 2);
            FollowToTheEnd(follower, disk);
            ReplicaPlace.AssertSame(disk);
            return 1;
        }, output, share: 0.25);
    }

    // A first copy may take hours.
    [Fact]
    public void Follower_takes_a_folder_a_step_and_can_be_promoted_in_between()
    {
        Cases.TryEach(VolumeKinds.All, static kind =>
        {
            var disk = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = 4 };
            BackupPlace.Append(disk, 1, 1, 9, 1, 1, 4);
            var expected = BackupPlace.Ids(disk, SteppedStore.Root);
            using var follower = FollowerOf(disk.Attach());
            List<(long, long, bool)> steps = [];
            do
            {
                var report = follower.Step()!;
                steps.Add((report.Head, report.Copied, follower.HasMore));
                var promoted = disk.Copy();
                Assert.Equal(report.Head, ReplicaPlace.Promote(promoted.Attach()).Head);
                ReplicaPlace.AssertTakesAppends(promoted, expected[..(int)report.Head]);
            }
            while (steps[^1].Item3);

            Assert.Equal([(2, 2, true), (11, 9, true), (13, 2, true), (17, 4, false)], steps);
            ReplicaPlace.AssertSame(disk);
            return steps.Count;
        }, output);
    }

    [Fact]
    public void Promotion_is_done_or_not_done()
    {
        var promotion = new CrashScenario("a promotion", kind =>
        {
            var start = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = 4 };
            BackupPlace.Append(start, 1, 3, 1, 2, 2);
            Seal(start);
            ReplicaPlace.Update(start.Attach());
            var expected = BackupPlace.Ids(start, SteppedStore.Root);
            return () =>
            {
                var disk = start.Copy();
                return CrashRun.Of(disk, () => ReplicaPlace.Promote(disk.Attach()), (after, _, isDone) =>
                {
                    if (isDone)
                        Assert.Throws<StoreOpenException>(() => SteppedStore.Open(after.Copy().Attach()));
                    if (isDone || ReplicaPlace.IsPromoted(after))
                    {
                        ReplicaPlace.AssertTakesAppends(after, expected);
                        return;
                    }
                    ReplicaPlace.Update(after.Attach());
                    ReplicaPlace.AssertSame(after);
                    ReplicaPlace.Promote(after.Attach());
                    ReplicaPlace.AssertTakesAppends(after, expected);
                });
            };
        });

        Cases.TryEach(CrashCut.Groups([promotion], VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);
    }

    [Fact]
    public void Promotion_in_which_an_operation_fails_is_completed_by_the_next_one()
    {
        Cases.TryEach(VolumeKinds.All, static kind =>
        {
            var start = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = 4 };
            BackupPlace.Append(start, 1, 3, 1, 2, 2);
            ReplicaPlace.Update(start.Attach());
            var expected = BackupPlace.Ids(start, ReplicaPlace.Root);
            var failed = 0;
            for (var (at, isOver) = (0, false); !isOver; at++)
            {
                var disk = start.Copy();
                var client = disk.Attach();
                var operations = 0;
                disk.Fail(new Fault
                {
                    When = operation => operation.Client == client && operation.Changes
                        && operation.Kind is not (OperationKind.Lock or OperationKind.Unlock) && operations++ == at,
                });
                PromotionReport? report = null;
                var error = Record.Exception(() => report = ReplicaPlace.Promote(client));
                Assert.True(error is null or StoreMaintenanceException or StoreOpenException, $"{error}");
                failed += report is null ? 1 : 0;
                isOver = operations <= at;
                report ??= ReplicaPlace.Promote(disk.Attach());
                Assert.Equal((2, expected.Count), (report.Term, report.Head));
                ReplicaPlace.AssertTakesAppends(disk, expected);
            }
            Assert.InRange(failed, 3, int.MaxValue);
            return failed;
        }, output);
    }

    // A copy of a sealed folder may end inside an append: what readers do not see must not be appended to.
    [Fact]
    public void Replica_that_was_cut_in_a_sealed_folder_is_promoted_up_to_the_last_whole_append()
    {
        Cases.TryEach(CrashCase.Of([sealedFirst], VolumeKinds.All, static _ => true), each =>
        {
            var disk = each.Copy();
            var client = disk.Attach();
            var operations = 0;
            client.BeforeOperation = operation =>
            {
                if (operation.Changes && operations++ == each.Operation)
                    client.Kill();
            };
            Attempt.UntilTheEnd(() => each.Target.Run(client));
            var seen = BackupPlace.FindIds(disk, ReplicaPlace.Root);
            if (seen is null)
                return 0;
            ReplicaPlace.Promote(disk.Attach());
            ReplicaPlace.AssertTakesAppends(disk, seen);
            return 1;
        }, output, share: 0.25);
    }

    // The store's disk loses power, that of the replica does not.
    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(true, false, false)]
    [InlineData(false, false, false)]
    [InlineData(true, true, false)]
    public void Replica_has_nothing_that_a_power_cut_takes_from_the_store(bool flush, bool useJournal, bool mayReadLock = true)
    {
        const int Parts = 8;
        (VolumeKind, int)[] cases = [.. VolumeKinds.Local.SelectMany(_ => Enumerable.Range(0, Parts), static (kind, part) => (kind, part))];
        Cases.TryEach(cases, each =>
        {
            var (kind, part) = each;
            var disk = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = 4 };
            var history = new History();
            BackupPlace.Append(disk, 1);
            var store = SteppedStore.Open(disk.Attach(), flush, useJournal: useJournal);
            var (states, operations, most) = (0, 0, 0);
            // As for a user who may write nothing of the store.
            disk.Fail(new Fault
            {
                When = operation => !mayReadLock && operation.Client != store.Client && operation.Path == SteppedStore.LayoutOn(disk).LockFile,
                Error = FileError.AccessDenied,
                Lasts = true,
            });
            store.Client.BeforeOperation = operation =>
            {
                if (!operation.Changes || operations++ % Parts != part)
                    return;
                Follow(disk);
                var copied = BackupPlace.FindIds(disk, ReplicaPlace.Root) ?? [];
                most = Math.Max(most, copied.Count);
                foreach (var cut in Cases.PowerCutsAt(operations))
                {
                    var after = disk.AfterPowerCut(cut);
                    SteppedStore.Open(after.Attach()).Close();
                    var left = BackupPlace.Ids(after, SteppedStore.Root);
                    Assert.True(copied.Count <= left.Count, $"{cut} at {operation}: {copied.Count} copied, {left.Count} left");
                    Assert.Equal(left[..copied.Count], copied);
                    states++;
                }
            };
            store.Append(history.New(2));
            store.Append(history.New(), history.New(3));
            store.FlushBehind();
            store.TryDrainJournal();
            store.Append(history.New());
            store.Client.BeforeOperation = null;
            Follow(disk);
            Assert.InRange(Math.Max(most, BackupPlace.Ids(disk, ReplicaPlace.Root).Count), mayReadLock ? 7 : 3, 8);
            return states;
        }, output, Cases.PowerCuts, share: 0.25);
    }

    // Whether the last events are stored may not be certain while another process has the lock.
    private static void Follow(SimulatedDisk disk)
    {
        try
        {
            ReplicaPlace.Update(disk.Attach());
        }
        catch (StoreOpenException e) when (e.IsTransient)
        {
            // The next step copies them.
        }
    }

    [Fact]
    public void Replica_is_a_prefix_while_another_process_appends_before_each_of_its_operations()
    {
        Cases.TryEach(VolumeKinds.All, kind =>
        {
            var disk = new SimulatedDisk(kind, new SimulatedClock()) { ShardPositions = 4 };
            BackupPlace.Append(disk, 1, 3);
            var history = new History();
            var writer = SteppedStore.Open(disk.Attach());
            var client = disk.Attach();
            var (isAppending, operations) = (false, 0);
            client.BeforeOperation = _ =>
            {
                if (isAppending || operations++ % 7 != 0)
                    return;
                isAppending = true;
                writer.Append(history.New(1 + operations % 3));
                isAppending = false;
            };
            var heads = (ReplicaPlace.Update(client).Head, ReplicaPlace.Update(client).Head);
            client.BeforeOperation = null;

            Assert.True(heads.Item1 > 4 && heads.Item2 > heads.Item1, $"{heads}");
            Assert.Equal(heads.Item2, ReplicaPlace.AssertPrefix(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll))));
            return 1;
        }, output, share: 0.25);
    }

    private static ReplicaFollower FollowerOf(SimulatedFileSystem client) => new(client, SteppedStore.LayoutOn(client.Disk), ReplicaPlace.Root,
        new ReplicaOptions(), client.Disk.Clock, progress: null, CancellationToken.None);

    // Whether it has everything after the step. Only the first one may throw.
    private static bool Step(ReplicaFollower follower, SimulatedDisk disk)
    {
        // The upkeep is due.
        ((SimulatedClock)disk.Clock).Advance(TimeSpan.FromSeconds(10));
        try
        {
            return follower.Step() is { Problem: null } && !follower.HasMore;
        }
        catch (EventStoreException e) when (e is not StoreMaintenanceException { IsTransient: false })
        {
            return false;
        }
    }

    private static void FollowToTheEnd(ReplicaFollower follower, SimulatedDisk disk)
    {
        var inStep = 0;
        for (var steps = 0; inStep < 2; steps++)
        {
            Assert.True(steps < StepsMax, "It is not followed again.");
            inStep += Step(follower, disk) ? 1 : 0;
        }
    }

    private static CrashTarget Target(string name, Action<SimulatedDisk> prepare, bool changesOld = false) =>
        new(name, ReplicaPlace.Root, prepare, static client => ReplicaPlace.Update(client))
        {
            CheckDone = ReplicaPlace.AssertSame,
            CheckPart = changesOld ? null : static disk => ReplicaPlace.AssertPrefix(disk),
        };

    private static void Seal(SimulatedDisk disk, int keep = 1) =>
        StoreSealing.Seal(disk.Attach(), SteppedStore.LayoutOn(disk), keep, disk.Clock);
}
