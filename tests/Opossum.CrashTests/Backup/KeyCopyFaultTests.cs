using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Personal;

namespace Opossum.Tests.Backup;

/// <summary>Keys that are copied while the disk is full, an operation fails, or a person is being forgotten.</summary>
public sealed class KeyCopyFaultTests
{
    private static readonly BackupOptions withKeys = new() { IncludeKeys = true };

    public static TheoryData<string, string> Faults => new MatrixTheoryData<string, string>([nameof(VolumeKind.Ext4), nameof(VolumeKind.Smb)],
        [nameof(FileError.DiskFull), nameof(FileError.InUse)]);

    [Theory]
    [MemberData(nameof(Faults))]
    public void A_backup_in_which_any_operation_fails_says_so_and_the_next_run_completes_it(string kind, string error)
    {
        var failed = 0;
        for (var at = 0; ; at++)
        {
            var disk = NewDisk(Enum.Parse<VolumeKind>(kind));
            var client = disk.Attach();
            var wasReached = FailOnce(client, at, Enum.Parse<FileError>(error));
            failed += Fails(() => Back(client), BackupPlace.Target) ? 1 : 0;
            client.BeforeOperation = null;
            Back(disk.Attach());

            Assert.Empty(Restored(disk));
            if (!wasReached())
                break;
        }
        Assert.InRange(failed, 10, int.MaxValue);
    }

    [Theory]
    [MemberData(nameof(Faults))]
    public void A_restore_in_which_any_operation_fails_says_so_and_the_next_one_has_all_keys(string kind, string error)
    {
        var failed = 0;
        for (var at = 0; ; at++)
        {
            var disk = NewDisk(Enum.Parse<VolumeKind>(kind));
            Back(disk.Attach());
            var client = disk.Attach();
            var wasReached = FailOnce(client, at, Enum.Parse<FileError>(error));
            failed += Fails(() => BackupPlace.Restore(client), BackupPlace.Restored) ? 1 : 0;
            client.BeforeOperation = null;

            Assert.Empty(Restored(disk));
            if (!wasReached())
                break;
        }
        Assert.InRange(failed, 10, int.MaxValue);
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4))]
    [InlineData(nameof(VolumeKind.Smb))]
    public async Task A_backup_of_a_forgetting_that_is_not_finished_has_no_key_once_it_has_begun_and_finishes_it_when_restored(string kind)
    {
        var (begun, isOver) = (0, false);
        for (var at = 0; !isOver; at++)
        {
            var disk = NewDisk(Enum.Parse<VolumeKind>(kind));
            isOver = !ForgetUntil(disk, at);
            var isBegun = StoreCheck.Run(disk.Attach(), SteppedStore.LayoutOn(disk)).Findings.Any(static each =>
                each.Kind == FindingKind.UnfinishedForgetting);
            begun += isBegun ? 1 : 0;
            Back(disk.Attach());
            BackupPlace.Restore(disk.Attach());

            Assert.Equal(isBegun, StoreCheck.Run(disk.Attach(), BackupPlace.Restored).Findings.Any(static each =>
                each.Kind == FindingKind.UnfinishedForgetting));
            await using var store = Open(disk, BackupPlace.Restored);
            if (isBegun)
                Assert.Equal([Customers.Ann], LostOf(store).Select(static each => each.Subject).Distinct());
            var result = await store.ForgetAsync(Customers.Ann, "asked again");
            // Once the event is stored, only the rest is removed.
            Assert.True(result.WasForgotten || !isOver);
            Assert.DoesNotContain(StoreCheck.Run(disk.Attach(), BackupPlace.Restored).Findings, static each =>
                each.Kind == FindingKind.UnfinishedForgetting);
            Assert.Equal([UnreadableReason.Forgotten], LostOf(store).Select(static each => each.Reason).Distinct());
            Assert.Single(Promises.Read(store, Query.For<PersonForgotten>()));
        }
        Assert.InRange(begun, 5, int.MaxValue);
    }

    // Whether it was reached is known afterwards.
    private static Func<bool> FailOnce(SimulatedFileSystem client, int at, FileError error)
    {
        var (operations, wasReached) = (0, false);
        client.BeforeOperation = operation =>
        {
            if (!operation.Path.Contains("/Keys", StringComparison.Ordinal) || (error == FileError.DiskFull && !operation.Changes))
                return;
            if (operations++ != at)
                return;
            wasReached = true;
            throw new FileSystemException(error, "use", operation.Path, "of a fault of the test");
        };
        return () => wasReached;
    }

    private static bool Fails(Action work, string target)
    {
        try
        {
            work();
            return false;
        }
        catch (StoreMaintenanceException e)
        {
            Assert.True(e.IsTransient, e.Message);
            Assert.Contains(target, e.Message, StringComparison.Ordinal);
            return true;
        }
    }

    private static bool ForgetUntil(SimulatedDisk disk, int at)
    {
        var client = disk.Attach();
        var (changes, wasReached) = (0, false);
        Attempt.UntilTheEnd(() =>
        {
            using var store = Open(disk, SteppedStore.Root, client);
            client.BeforeOperation = operation =>
            {
                if (!operation.Changes || changes++ != at)
                    return;
                wasReached = true;
                client.Kill();
            };
            store.ForgetAsync(Customers.Ann, "asked for it").GetAwaiter().GetResult();
            client.BeforeOperation = null;
        });
        return wasReached;
    }

    private static SimulatedDisk NewDisk(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        using var store = Open(disk, SteppedStore.Root);
        store.AppendAsync([new NewEvent(Customers.Registered() with { Contacts = null })]).GetAwaiter().GetResult();
        return disk;
    }

    private static BackupReport Back(SimulatedFileSystem client) =>
        StoreBackup.Run(client, SteppedStore.LayoutOn(client.Disk), BackupPlace.Target, withKeys, client.Disk.Clock);

    private static List<UnreadableMember> Restored(SimulatedDisk disk)
    {
        BackupPlace.RestoreUnlessDone(disk.Attach());
        using var store = Open(disk, BackupPlace.Restored);
        return LostOf(store);
    }

    private static List<UnreadableMember> LostOf(FileSystemEventStore store) =>
        [.. Promises.Read(store, Query.For<CustomerRegistered>()).SelectMany(static each => each.UnreadableMembers)];

    private static FileSystemEventStore Open(SimulatedDisk disk, string root, SimulatedFileSystem? client = null)
    {
        var options = new OpossumOptions { Path = root, TimeProvider = disk.Clock, PersonalData = { MasterKey = Customers.Key } };
        options.EventTypes.Add<CustomerRegistered>();
        return FileSystemEventStore.Open(options, client ?? disk.Attach(), root);
    }
}
