using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>The store's lock between the threads of a process, which share one handle of the lock file.</summary>
public sealed class StoreLockTests
{
    private readonly SimulatedDisk disk = new(VolumeKind.Ext4, new SimulatedClock());

    public StoreLockTests() => SteppedStore.Open(disk.Attach()).Close();

    /// <summary>Where unlocking fails, the handle is closed.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void No_thread_comes_in_before_the_file_is_unlocked(bool unlockingFails)
    {
        var client = disk.Attach();
        using var storeLock = LockOf(client);
        if (unlockingFails)
            disk.FailNext(OperationKind.Unlock);
        var held = storeLock.Acquire(TimeSpan.Zero);
        Exception? other = null;
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Unlock)
                return;
            client.BeforeOperation = null;
            other = OnThread(() => storeLock.Acquire(TimeSpan.Zero).Dispose());
        };

        held.Dispose();

        Assert.Null(client.BeforeOperation);
        Assert.IsType<StoreLockTimeoutException>(other);
        AssertFree(storeLock);
    }

    [Theory]
    [InlineData(nameof(OperationKind.Read))]
    [InlineData(nameof(OperationKind.Write))]
    public void A_lock_that_could_not_be_taken_is_free_for_other_threads_and_processes(string failing)
    {
        using var storeLock = LockOf(disk.Attach());
        storeLock.Acquire(TimeSpan.Zero).Dispose();
        // Its text is written in full again.
        using (var file = disk.Attach().Open(SteppedStore.LayoutOn(disk).LockFile, FileOpening.ReadWrite)!)
            file.SetLength(0);
        disk.FailNext(Enum.Parse<OperationKind>(failing));

        Assert.Throws<FileSystemException>(() => storeLock.Acquire(TimeSpan.Zero));

        AssertFree(storeLock);
    }

    private void AssertFree(StoreLock storeLock)
    {
        Assert.Null(OnThread(() => storeLock.Acquire(TimeSpan.Zero).Dispose()));
        using var otherProcess = LockOf(disk.Attach());
        using var held = otherProcess.Acquire(TimeSpan.Zero);
        Assert.IsType<StoreLockTimeoutException>(OnThread(() => storeLock.Acquire(TimeSpan.Zero)));
    }

    private StoreLock LockOf(SimulatedFileSystem client) => new(new StoreFolder(client, SteppedStore.LayoutOn(disk)), disk.Clock);

    private static Exception? OnThread(Action work)
    {
        Exception? error = null;
        var thread = new Thread(() => error = Record.Exception(work));
        thread.Start();
        thread.Join();
        return error;
    }
}
