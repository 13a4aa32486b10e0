using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Reactions.Files;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Backup;

/// <summary>Backups and restores that power cuts, kills and failing operations interrupt at every file operation.</summary>
public sealed class BackupCrashTests(ITestOutputHelper output)
{
    private const string CopiedMails = $"{BackupPlace.Restored}/Reactions/mails/live.0000000000";

    // Each append alone: every event then proves that all before it were committed.
    private static readonly CrashTarget update = new("an update", BackupPlace.Target, disk =>
    {
        BackupPlace.Append(disk, 1, 3);
        BackupPlace.Run(disk.Attach());
        BackupPlace.Append(disk, 1, 1, 4, 1, 2, 1);
    }, client => BackupPlace.Run(client));

    private static readonly CrashTarget first = new("a first backup", BackupPlace.Target, disk => BackupPlace.Append(disk, 1, 3, 1, 2, 1, 1),
        client => BackupPlace.Run(client));

    private static readonly CrashTarget mending = new("a backup that copies lost files again", BackupPlace.Target, disk =>
    {
        BackupPlace.Append(disk, 1, 3, 1, 1);
        BackupPlace.Run(disk.Attach());
        disk.Attach().Delete($"{BackupPlace.Target}/Events/0000000000/0000000003.json");
        BackupPlace.Append(disk, 1, 2);
    }, client => BackupPlace.Run(client, verifyAll: true))
    { StartsWhole = false };

    private static readonly CrashTarget restore = new("a restore", BackupPlace.Restored, disk =>
    {
        BackupPlace.Append(disk, 1, 3, 1, 2, 1);
        disk.Attach().CreateFolder($"{SteppedStore.Root}/Reactions");
        disk.Attach().CreateFolder($"{SteppedStore.Root}/Reactions/mails");
        BackupPlace.Run(disk.Attach());
    }, BackupPlace.RestoreUnlessDone)
    { IsAllOrNothing = true, CheckDone = static disk => Assert.True(CopyMark.IsIn(disk.Attach(), CopiedMails)) };

    private static readonly CrashTarget[] all = [update, first, mending, restore];

    internal static CrashScenario[] CrashScenarios { get; } = [.. all.Select(CrashCase.Crash)];

    [Fact]
    public void Restore_into_a_folder_where_another_one_is_under_way_is_refused_and_spoils_nothing()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        BackupPlace.Append(disk, 1, 3, 1, 2);
        BackupPlace.Run(disk.Attach());
        var client = disk.Attach();
        Exception? refused = null;
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.CreateNew || !operation.Path.EndsWith("0000000005.json", StringComparison.Ordinal))
                return;
            client.BeforeOperation = null;
            refused = Record.Exception(() => BackupPlace.Restore(disk.Attach()));
        };

        BackupPlace.Restore(client);

        Assert.IsType<StoreLockTimeoutException>(refused);
        BackupPlace.AssertWhole(disk, BackupPlace.Restored, BackupPlace.Ids(disk, SteppedStore.Root));
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Btrfs))]
    [InlineData(nameof(VolumeKind.Smb))]
    public async Task A_power_cut_that_takes_the_end_of_the_index_does_not_stop_backups(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        using (var store = FileSystemEventStore.Open(new OpossumOptions { Path = SteppedStore.Root, TimeProvider = disk.Clock }, disk.Attach(),
            SteppedStore.LayoutOn(disk)))
        {
            for (var each = 0; each < 5; each++)
                await store.AppendAsync([New("t"), New("u")]);
            Assert.Equal(10, BackupPlace.Run(disk.Attach()).Head);
        }
        var expected = BackupPlace.Ids(disk, SteppedStore.Root);
        for (var seed = 0; seed < 30; seed++)
        {
            var left = disk.AfterPowerCut(new PowerCut(PowerCutMode.Random, seed));

            var again = BackupPlace.Run(left.Attach(), verifyAll: true);

            Assert.Equal((10, 0, 0), (again.Head, again.Copied, again.Mended));
            BackupPlace.AssertWhole(left, BackupPlace.Target, expected);
        }
    }

    [Fact]
    public void A_copy_that_does_not_hold_what_was_written_gets_no_name()
    {
        var disk = new SimulatedDisk(VolumeKind.Posix, new SimulatedClock());
        BackupPlace.Append(disk, 1, 3);
        var client = disk.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Flush || !BackupPlace.IsStaging(operation.Path)
                || !operation.Path.EndsWith(StoreLayout.EventFileName(2), StringComparison.Ordinal))
            {
                return;
            }
            client.BeforeOperation = null;
            using var file = disk.Attach().Open(operation.Path, FileOpening.ReadWrite)!;
            file.Write("?"u8, 50);
        };

        var error = Assert.Throws<StoreMaintenanceException>(() => BackupPlace.Run(client));

        Assert.Null(client.BeforeOperation);
        Assert.Contains("does not hold the bytes", error.Message, StringComparison.Ordinal);
        Assert.Empty(BackupPlace.Ids(disk, BackupPlace.Target));
        BackupPlace.Run(disk.Attach());
        BackupPlace.AssertWhole(disk, BackupPlace.Target, BackupPlace.Ids(disk, SteppedStore.Root));
    }

    // An event proves that those before its append were committed.
    [Theory]
    [InlineData(nameof(VolumeKind.Btrfs))]
    [InlineData(nameof(VolumeKind.Posix))]
    [InlineData(nameof(VolumeKind.Smb))]
    [InlineData(nameof(VolumeKind.Nfs))]
    [InlineData(nameof(VolumeKind.Fuse))]
    public void A_copy_is_durable_before_one_that_proves_it_takes_its_name(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock());
        BackupPlace.Append(disk, 1);
        BackupPlace.Run(disk.Attach());
        BackupPlace.Append(disk, 1, 1, 1, 1);
        disk.Trace = [];

        BackupPlace.Run(disk.Attach());

        Assert.Empty(FlushOrder.FindNamedBeforeFlush(disk.Trace));
        var layout = disk.LayoutOf(BackupPlace.Target);
        for (var position = 2; position < 5; position++)
        {
            var (copy, next) = (layout.EventFile(position), layout.EventFile(position + 1));
            Assert.Null(FlushOrder.FindUnflushed(disk.Trace, operation => operation.Kind == OperationKind.Move && operation.To == copy,
                operation => operation.Kind == OperationKind.Move && operation.To == next,
                disk.Volume.FileFlushCoversName ? copy : layout.ShardFolder(0)));
        }
    }

    [Fact]
    public void A_backup_that_waits_for_another_one_can_be_cancelled()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        SteppedStore.Open(disk.Attach()).Append(new Attempt([New("t")], null));
        BackupPlace.Run(disk.Attach());
        using var other = new StoreLock(new StoreFolder(disk.Attach(), BackupPlace.Target), disk.Clock);
        using var held = other.Acquire(TimeSpan.Zero);
        using var cancelled = new CancellationTokenSource();
        var client = disk.Attach();
        var tries = 0;
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Lock && operation.Path.StartsWith(BackupPlace.Target, StringComparison.Ordinal) && ++tries == 3)
                cancelled.Cancel();
        };

        Assert.Throws<OperationCanceledException>(() => StoreBackup.Run(client, SteppedStore.LayoutOn(disk), BackupPlace.Target, options: null,
            disk.Clock, progress: null, cancelled.Token));
    }

    [Fact]
    public void Power_cut_leaves_the_last_whole_backup_and_the_next_run_completes_it() => Cases.TryEach(
        CrashCut.Groups(CrashScenarios, VolumeKinds.All).Concat(CrashCut.Groups([CrashCase.Crash(OnWhole(update)), CrashCase.Crash(OnWhole(first))],
            [VolumeKind.Ext4, VolumeKind.Posix])),
        CrashCut.Try, output, Cases.PowerCuts, share: 0.75);

    [Fact]
    public void What_a_killed_backup_left_is_durable_after_the_next()
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
            BackupPlace.AssertWhole(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)), each.Target.Path, each.Expected);
            BackupPlace.AssertWhole(disk.AfterPowerCut(new PowerCut(PowerCutMode.Random, each.Operation)), each.Target.Path, each.Expected);
            return 2;
        }, output, Cases.PowerCuts, share: 0.25);
    }

    [Fact]
    public void Restore_with_an_id_of_its_own_does_not_take_up_one_under_the_former_id()
    {
        Cases.TryEach(CrashCase.Of([restore], [VolumeKind.Ext4, VolumeKind.Smb], static _ => true), static each =>
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
            BackupReport? report = null;
            var error = Record.Exception(() => report = BackupPlace.Restore(disk.Attach(), new RestoreOptions { NewId = true }));
            if (error is not null)
                Assert.Contains("is not empty", Assert.IsType<StoreMaintenanceException>(error).Message, StringComparison.Ordinal);
            else
                Assert.NotEqual(StoreFile.Read(disk.Attach(), SteppedStore.LayoutOn(disk))!.Id, report!.StoreId);
            return 1;
        }, output, share: 0.25);
    }

    [Fact]
    public void Failing_operation_is_reported_and_the_next_run_goes_on()
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
            BackupPlace.AssertWhole(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)), each.Case.Target.Path, each.Case.Expected);
            return 3;
        }, output, share: 0.25);
    }

    [Fact]
    public void Backup_is_a_whole_prefix_while_another_process_appends_before_each_of_its_operations()
    {
        Cases.TryEach(VolumeKinds.All, kind =>
        {
            var disk = new SimulatedDisk(kind, new SimulatedClock());
            BackupPlace.Append(disk, 1, 3);
            var history = new History();
            var writer = SteppedStore.Open(disk.Attach());
            var client = disk.Attach();
            var isAppending = false;
            var operations = 0;
            client.BeforeOperation = _ =>
            {
                if (isAppending || operations++ % 7 != 0)
                    return;
                isAppending = true;
                writer.Append(history.New(1 + operations % 3));
                isAppending = false;
            };
            var first = BackupPlace.Run(client).Head;
            var second = BackupPlace.Run(client).Head;
            client.BeforeOperation = null;

            var stored = BackupPlace.Ids(disk, SteppedStore.Root);
            Assert.True(first > 4 && second > first, $"{first}, {second}");
            BackupPlace.AssertWhole(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)), BackupPlace.Target, stored[..(int)second]);
            return 1;
        }, output, share: 0.25);
    }

    // Where only the whole file system can be flushed.
    private static CrashTarget OnWhole(CrashTarget target) => target with
    {
        Name = $"{target.Name}, where only the whole is flushed",
        Adjust = static disk => disk.Volume = disk.Volume with { CanFlushWhole = true, CanFlushRange = false, FileFlushCoversName = false },
    };
}
