using System.Text;
using Opossum.FileSystem;
using Opossum.FileSystem.Linux;
using Opossum.FileSystem.Unix;
using Opossum.Maintenance;
using Opossum.Storage;
using Opossum.Storage.Commit;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Personal;
using Opossum.Tests.Projections;
using Opossum.Tests.Reactions;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>Who may only read a store cannot keep others from writing.</summary>
public sealed class LockFileTests : IDisposable
{
    private const UnixFileMode Readers = UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead;

    // All that a store has. Who adds one adds it here.
    private static readonly string[] lockFiles =
    [
        ".files.lock", ".runs.lock", ".sealing.lock", ".store.lock", "Keys/.lock", "Projections/counts/.lock", "Reactions/recording/.lock",
    ];

    private readonly StorePlace place = StorePlace.InFolder();

    public void Dispose() => place.Dispose();

    [Fact]
    public void The_lock_file_can_be_read_by_nobody_who_may_not_write_it()
    {
        if (OperatingSystem.IsWindows())
            Assert.Skip("Windows has no such rights");
        else
            AssertRights(File.SetUnixFileMode, File.GetUnixFileMode);
    }

    [Fact]
    public async Task Every_file_that_is_locked_is_kept_from_readers_first()
    {
        using var simulated = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        simulated.Disk!.Trace = [];
        await UseEveryLockAsync(simulated);

        var locked = simulated.Disk.Trace.Where(static each => each.Kind == OperationKind.Lock).Select(static each => each.Path).ToHashSet();
        Assert.Equal(lockFiles.Select(name => $"{simulated.Root}/{name}"), locked.Order(StringComparer.Ordinal));
        Assert.Equal(locked.Order(StringComparer.Ordinal), simulated.Disk.DeniedToReaders.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task No_lock_file_can_be_read_by_who_may_not_write_it()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no such rights");
        await UseEveryLockAsync(place);

        foreach (var name in lockFiles)
        {
            if (!OperatingSystem.IsWindows())
                Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(Path.Combine(place.Root, name)));
        }
    }

    [Fact]
    public unsafe void A_lock_for_reading_is_named_as_what_it_is()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the lock is taken by a call of Linux");
        place.Open();
        place.CloseStores();
        using var files = new LinuxFileSystem();
        using var reader = (LinuxFile)files.Open(place.Layout.LockFile, FileOpening.Read)!;
        var readLock = new LibC.FileLock { Type = LibC.ReadLock, Offset = StoreLayout.LockOffset, Length = 1 };
        Assert.Equal(0, LibC.Control(reader, LibC.SetFileLock, &readLock));

        using var store = place.Open(options => options.LockTimeout = TimeSpan.FromMilliseconds(5));
        var error = Assert.Throws<StoreLockTimeoutException>(() => store.AppendAsync([New("a")]).GetAwaiter().GetResult());
        Assert.Contains("has locked it for reading", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain($"process {Environment.ProcessId}", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Appends_that_queue_while_another_process_keeps_the_lock_wait_as_long_as_one_of_them_does()
    {
        using var simulated = StorePlace.On(VolumeKind.Ext4);
        using var client = simulated.Disk!.Attach();
        var timeout = TimeSpan.FromSeconds(10);
        var store = simulated.Open(client, options => options.LockTimeout = timeout);
        using var areQueued = new ManualResetEventSlim();
        using (var other = simulated.Attach())
        using (var held = other.Open(simulated.Layout.LockFile, FileOpening.ReadWrite)!)
        {
            Assert.True(held.TryLock(StoreLayout.LockOffset));
            client.BeforeOperation = operation =>
            {
                if (operation.Kind == OperationKind.Pause)
                    areQueued.Wait(TestContext.Current.CancellationToken);
            };
            var started = simulated.Clock.GetTimestamp();
            // Each is a group of its own.
            var appends = Enumerable.Range(0, 3).Select(_ => store.AppendAsync(Many(Group.EventsMax, "a"))).ToList();
            areQueued.Set();
            foreach (var append in appends)
                Assert.Equal(timeout, (await Assert.ThrowsAsync<StoreLockTimeoutException>(() => append)).Timeout);
            Assert.InRange(simulated.Clock.GetElapsedTime(started), timeout, timeout + TimeSpan.FromSeconds(1));
        }
        await store.AppendAsync([New("a")]);
    }

    [Fact]
    public async Task A_lock_that_another_store_of_this_process_holds_is_not_advice_to_end_the_process()
    {
        using var store = place.Open(options => options.LockTimeout = TimeSpan.Zero);
        using var other = place.OtherLock();
        using var held = other.Acquire(TimeSpan.Zero);
        var append = store.AppendAsync([New("a")]);

        var error = Assert.Throws<StoreLockTimeoutException>(() => append.GetAwaiter().GetResult());
        Assert.Contains($"It was last taken by process {Environment.ProcessId} (", error.Message, StringComparison.Ordinal);
        Assert.Contains("That is this process itself: another store object", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("end it", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_lock_that_another_thread_of_the_same_store_holds_says_for_how_long()
    {
        var clock = new TestClock();
        using var simulated = StorePlace.On(VolumeKind.Ext4, clock);
        simulated.Open();
        using var storeLock = simulated.OtherLock();
        using var held = storeLock.Acquire(TimeSpan.Zero);
        clock.Advance(TimeSpan.FromSeconds(12.5));

        var error = TimeoutOnAnotherThread(storeLock);
        Assert.Contains("for 12.5 s by now", error.Message, StringComparison.Ordinal);
        Assert.Contains("That is this process itself: another operation of the same store object", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("end it", error.Message, StringComparison.Ordinal);
    }

    /// <summary>Another process may have set the same note again, without a flush.</summary>
    [Theory]
    [InlineData(" 7\n", 1)]
    [InlineData("  \n", 2)]
    public void A_note_without_a_number_is_made_durable_by_each_holder(string number, int flushes)
    {
        using var simulated = StorePlace.On(VolumeKind.Ext4);
        simulated.Open();
        simulated.CloseStores();
        simulated.Disk!.Trace = [];
        using var storeLock = simulated.OtherLock();
        var text = new LockText("process 7 (other) on elsewhere", LockFile.NewMark())
            .Holder(DateTime.UnixEpoch, new FilesNote(5, HasLines: false), 7, wipesWaiter: true).ToArray();
        using var files = simulated.Attach();
        using var other = files.Open(simulated.Layout.LockFile, FileOpening.ReadWrite)!;
        Encoding.ASCII.GetBytes(number, text.AsSpan(text.AsSpan().IndexOf("\nnote"u8) + "\nnote".Length));

        for (var turn = 0; turn < 2; turn++)
        {
            other.Write(text, 0);
            using var held = storeLock.Acquire(TimeSpan.Zero);
            held.MakeNoteDurable();
        }

        Assert.Equal(flushes, simulated.Disk.Trace.Count(operation =>
            operation.Kind == OperationKind.Flush && operation.Path == simulated.Layout.LockFile));
    }

    [Fact]
    public void A_lock_that_another_thread_of_the_same_store_waits_for_names_its_holder()
    {
        using var simulated = StorePlace.On(VolumeKind.Ext4);
        simulated.Open();
        var layout = simulated.Layout;
        using var client = simulated.Disk!.Attach();
        using var storeLock = new StoreLock(new StoreFolder(client, layout), simulated.Clock);
        using var another = simulated.Attach();
        using var held = another.Open(layout.LockFile, FileOpening.ReadWrite)!;
        held.Write(new LockText("process 7 (other) on elsewhere", LockFile.NewMark()).Holder(DateTime.UnixEpoch, null, 0, wipesWaiter: true), 0);
        Assert.True(held.TryLock(StoreLayout.LockOffset));
        StoreLockTimeoutException? error = null;
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Pause)
                error ??= TimeoutOnAnotherThread(storeLock);
        };

        Assert.Throws<StoreLockTimeoutException>(() => storeLock.Acquire(TimeSpan.FromMilliseconds(1)));
        Assert.Contains("It was last taken by process 7 (other) on elsewhere since 1970", error!.Message, StringComparison.Ordinal);
        Assert.Contains("If that process hangs, end it", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, "a process whose name is not there yet")]
    [InlineData(false, "a process whose name cannot be read now")]
    public void A_lock_that_another_thread_of_the_same_store_waits_for_is_not_that_store_s_own(bool canRead, string holder)
    {
        using var simulated = StorePlace.On(VolumeKind.Ext4);
        simulated.Open();
        var layout = simulated.Layout;
        using var client = simulated.Disk!.Attach();
        using var storeLock = new StoreLock(new StoreFolder(client, layout), simulated.Clock);
        storeLock.Acquire(TimeSpan.Zero).Dispose();
        using var another = simulated.Attach();
        using var held = another.Open(layout.LockFile, FileOpening.ReadWrite)!;
        Assert.True(held.TryLock(StoreLayout.LockOffset));
        StoreLockTimeoutException? error = null;
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Pause)
                error ??= TimeoutOnAnotherThread(storeLock);
            else if (operation.Kind == OperationKind.Open && !canRead)
                throw new FileSystemException(FileError.HandleLost, "open", operation.Path, "it is gone");
        };

        Assert.Throws<StoreLockTimeoutException>(() => storeLock.Acquire(TimeSpan.FromMilliseconds(1)));
        Assert.Contains(holder, error!.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("another store object", error.Message, StringComparison.Ordinal);
    }

    private static StoreLockTimeoutException TimeoutOnAnotherThread(StoreLock storeLock)
    {
        Exception? error = null;
        var thread = new Thread(() => error = Record.Exception(() => storeLock.Acquire(TimeSpan.Zero)));
        thread.Start();
        thread.Join();
        return Assert.IsType<StoreLockTimeoutException>(error);
    }

    // The work under each lock of a store.
    private static async Task UseEveryLockAsync(StorePlace place)
    {
        place.Runs = new RunSettings { Length = 4, Fan = 2, LengthMax = 16, InBackground = false };
        var store = place.OpenCustomers(Customers.Key, static options => options.UseJournal = true);
        var reaction = new RecordingReaction(ReactionStart.Beginning);
        await using (var runner = store.StartProjections([new Counts()]))
        await using (store.StartReactions([reaction]))
        {
            await store.AppendAsync([new NewEvent(Customers.Registered()), RecordingReaction.Placed("o1"), .. Many(10, "a")]);
            await runner.WaitForAsync(12, TestContext.Current.CancellationToken);
            await reaction.WaitForAsync(1);
        }
        store.BringFilesUp();
        store.MakeRuns();
        using var fileSystem = place.Attach();
        StoreSealing.Seal(fileSystem, place.Layout, StoreSealing.KeepNewestFolders, place.Clock);
    }

    [System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
    private void AssertRights(Action<string, UnixFileMode> set, Func<string, UnixFileMode> get)
    {
        place.Open();
        place.CloseStores();
        set(place.Layout.LockFile, Readers | UnixFileMode.UserWrite | UnixFileMode.GroupWrite);
        place.Open();
        place.CloseStores();
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite, get(place.Layout.LockFile));
        set(place.Layout.LockFile, Readers | UnixFileMode.UserWrite);
        place.Open();
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, get(place.Layout.LockFile));
    }
}
