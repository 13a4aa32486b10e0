using System.Diagnostics;
using System.Globalization;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;

namespace Opossum.Tests.FileSystem;

/// <summary>What every real file system has to do, in a temporary folder.</summary>
public abstract class RealFileSystemSuite : IDisposable
{
    protected const long FarByte = 1L << 62;

    private const int ReplacedFiles = 20;

    private readonly string folder = TestFolders.CreateOnDisk();

    private protected abstract IFileSystem FileSystem { get; }

    [Fact]
    public void What_was_written_is_read_and_a_read_ends_where_the_file_ends()
    {
        using var file = Create("a");
        file.Write("0123456789"u8, 0);
        file.Write("ab"u8, 12);
        file.Flush();

        var buffer = new byte[20];
        Assert.Equal(14, file.Read(buffer, 0));
        Assert.Equal("0123456789\0\0ab"u8, buffer.AsSpan(0, 14));
        Assert.Equal(4, file.Read(buffer, 10));
        Assert.Equal(0, file.Read(buffer, 14));
        Assert.Equal(0, file.Read(buffer, 1000));
        Assert.Equal(3, file.Read(buffer.AsSpan(0, 3), 1));
        Assert.Equal("123"u8, buffer.AsSpan(0, 3));
        Assert.Equal(14, file.GetLength());
    }

    [Fact]
    public void A_file_is_created_once()
    {
        using var first = Create("a");
        Assert.Null(FileSystem.CreateNew(At("a")));
        FileSystem.CreateFolder(At("b"));
        Assert.Null(FileSystem.CreateNew(At("b")));
    }

    [Fact]
    public void Of_many_threads_one_creates_a_file()
    {
        for (var round = 0; round < 50; round++)
        {
            var created = 0;
            FileSystem.ForEach(8, _ =>
            {
                using var file = FileSystem.CreateNew(At(round.ToString(CultureInfo.InvariantCulture)));
                if (file is not null)
                    Interlocked.Increment(ref created);
            });
            Assert.Equal(1, created);
        }
    }

    [Fact]
    public void A_missing_file_opens_as_null_unless_it_may_be_created()
    {
        Assert.Null(FileSystem.Open(At("a"), FileOpening.Read));
        Assert.Null(FileSystem.Open(At("a"), FileOpening.ReadWrite));
        Assert.Null(FileSystem.Open(At("a"), FileOpening.WriteThrough));
        Assert.Null(FileSystem.Open(At("a"), FileOpening.Lock));
        Assert.Null(FileSystem.Open(At("no/a"), FileOpening.ReadWrite));
        Assert.Null(FileSystem.ReadPastCache(At("a"), new byte[4], 0));
        Assert.Equal(EntryKind.Missing, FileSystem.GetKind(At("a")));

        using (var created = FileSystem.Open(At("a"), FileOpening.ReadWriteOrCreate))
            created!.Write("abc"u8, 0);
        using var opened = FileSystem.Open(At("a"), FileOpening.ReadWriteOrCreate);
        Assert.Equal(3, opened!.GetLength());
        using var locked = FileSystem.Open(At("b"), FileOpening.LockOrCreate);
        locked!.Write("xyz"u8, 0);
        Assert.Equal(3, locked.Read(new byte[9], 0));
        Assert.Equal(new FileState(IsUnlinked: false, 3), locked.GetState());
        Assert.Equal(EntryKind.File, FileSystem.GetKind(At("a")));
        Assert.Equal(EntryKind.Folder, FileSystem.GetKind(folder));
    }

    [Fact]
    public void An_open_file_keeps_nobody_from_reading_writing_moving_or_deleting_it()
    {
        using var mine = Create("a");
        using var reader = FileSystem.Open(At("a"), FileOpening.Read);
        using var writer = FileSystem.Open(At("a"), FileOpening.ReadWrite);
        writer!.Write("abc"u8, 0);
        Assert.Equal(3, reader!.Read(new byte[9], 0));
        FileSystem.Move(At("a"), At("b"));
        FileSystem.Delete(At("b"));
        Assert.Equal(3, mine.Read(new byte[9], 0));
    }

    [Fact]
    public void A_file_is_cut_and_lengthened_by_zeros()
    {
        using var file = Create("a");
        file.Write("0123456789"u8, 0);
        file.SetLength(4);
        Assert.Equal(4, file.GetLength());
        file.SetLength(6);
        var buffer = new byte[9];
        Assert.Equal(6, file.Read(buffer, 0));
        Assert.Equal("0123\0\0"u8, buffer.AsSpan(0, 6));
    }

    [Fact]
    public void A_deleted_or_replaced_file_is_noticed_through_its_open_handle()
    {
        PauseNot();
        using var deleted = Create("a");
        using var replaced = Create("b");
        using var moved = Create("c");
        Assert.False(deleted.IsUnlinked());
        FileSystem.Delete(At("a"));
        FileSystem.Move(At("c"), At("b"));
        Assert.True(deleted.IsUnlinked());
        Assert.True(replaced.IsUnlinked());
        Assert.False(moved.IsUnlinked());
    }

    [Fact]
    public void A_deleted_file_frees_its_name_although_it_is_open()
    {
        using var old = Create("a");
        old.Write("old"u8, 0);
        using var reader = FileSystem.Open(At("a"), FileOpening.Read)!;
        FileSystem.Delete(At("a"));
        using var created = FileSystem.CreateNew(At("a"));
        Assert.NotNull(created);
        Assert.Equal(3, reader.Read(new byte[9], 0));
        Assert.Equal(0, created.GetLength());
    }

    [Fact]
    public void Deleting_what_is_not_there_is_fine()
    {
        FileSystem.Delete(At("a"));
        Create("a").Dispose();
        FileSystem.Delete(At("a"));
        FileSystem.Delete(At("a"));
        Assert.Empty(FileSystem.List(folder));
    }

    [Fact]
    public void A_folder_of_1_500_files_is_listed_whole()
    {
        LongTests.SkipUnlessAsked();
        // 60 KB of entries: several of the parts in which any system gives a folder.
        var names = Enumerable.Range(1, 1_500).Select(n => $"{n:D10}.json").ToList();
        foreach (var name in names)
            File.Create(At(name)).Dispose();
        FileSystem.CreateFolder(At("übergröße"));
        names.Add("übergröße");
        var listed = FileSystem.List(folder);
        listed.Sort(StringComparer.Ordinal);
        Assert.Equal(names, listed);
    }

    [Fact]
    public void A_folder_is_made_once_and_only_in_one_that_is_there()
    {
        FileSystem.CreateFolder(At("a"));
        FileSystem.CreateFolder(At("a"));
        FileSystem.SpreadSubfolders(At("a"));
        FileSystem.SpreadSubfolders(At("missing"));
        FileSystem.FlushFolder(At("a"));
        Assert.Equal(["a"], FileSystem.List(folder));
        AssertFails(FileError.NotFound, () => FileSystem.CreateFolder(At("b/c")));
        Create("file").Dispose();
        AssertFails(FileError.NotAFolder, () => FileSystem.CreateFolder(At("file")));
    }

    [Fact]
    public void A_moved_folder_is_found_by_its_new_path_alone()
    {
        FileSystem.CreateFolder(At("a"));
        Create("a/file").Dispose();
        FileSystem.MoveFolder(At("a"), At("b"));
        Assert.Equal(["b"], FileSystem.List(folder));
        Assert.Equal(["file"], FileSystem.List(At("b")));
        AssertFails(FileError.NotFound, () => FileSystem.CreateNew(At("a/other")));
        AssertFails(FileError.NotFound, () => FileSystem.Move(At("a/file"), At("a/moved")));
        AssertFails(FileError.NotFound, () => FileSystem.MoveFolder(At("a"), At("c")));
    }

    [Fact]
    public void An_empty_folder_is_deleted_and_no_other()
    {
        FileSystem.DeleteFolder(At("a"));
        FileSystem.CreateFolder(At("a"));
        Create("a/file").Dispose();
        Assert.Throws<FileSystemException>(() => FileSystem.DeleteFolder(At("a")));
        FileSystem.Delete(At("a/file"));
        FileSystem.DeleteFolder(At("a"));
        Assert.Empty(FileSystem.List(folder));
    }

    [Fact]
    public void A_folder_is_removed_with_what_is_in_it_a_part_at_a_time()
    {
        FileSystem.CreateFolder(At("a"));
        FileSystem.CreateFolder(At("a/b"));
        for (var file = 0; file < 5; file++)
            Create($"a/b/{file}").Dispose();
        Create("a/file").Dispose();
        var filesLeft = 4;
        Assert.False(FileSystem.RemoveFolder(At("a"), ref filesLeft));
        Assert.Equal(0, filesLeft);
        filesLeft = 4;
        Assert.True(FileSystem.RemoveFolder(At("a"), ref filesLeft));
        Assert.Equal(2, filesLeft);
        Assert.Empty(FileSystem.List(folder));
        Assert.True(FileSystem.RemoveFolder(At("a"), ref filesLeft));
        Assert.Equal(2, filesLeft);
    }

    [Fact]
    public void Removing_a_folder_follows_no_link()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "making links takes a right on Windows that few have");
        FileSystem.CreateFolder(At("outside"));
        Create("outside/mine").Dispose();
        FileSystem.CreateFolder(At("a"));
        Directory.CreateSymbolicLink(At("a/folder"), At("outside"));
        File.CreateSymbolicLink(At("a/file"), At("outside/mine"));
        File.CreateSymbolicLink(At("a/dangling"), At("missing"));
        Directory.CreateSymbolicLink(At("itself"), At("outside"));
        var filesLeft = 10;
        Assert.True(FileSystem.RemoveFolder(At("a"), ref filesLeft));
        Assert.True(FileSystem.RemoveFolder(At("itself"), ref filesLeft));
        Assert.Equal(6, filesLeft);
        Assert.Equal(["outside"], FileSystem.List(folder));
        Assert.Equal(["mine"], FileSystem.List(At("outside")));
    }

    [Fact]
    public void A_lock_excludes_every_other_handle_until_it_is_freed_or_its_handle_is_closed()
    {
        using var first = FileSystem.Open(At("lock"), FileOpening.LockOrCreate)!;
        using var second = FileSystem.Open(At("lock"), FileOpening.LockOrCreate)!;
        Assert.True(first.TryLock(FarByte));
        Assert.False(second.TryLock(FarByte));
        using (var third = FileSystem.Open(At("lock"), FileOpening.LockOrCreate)!)
            Assert.False(third.TryLock(FarByte));
        // Closing the third must not have freed the first's: with POSIX locks it would have.
        Assert.False(second.TryLock(FarByte));

        first.Unlock(FarByte);
        Assert.True(second.TryLock(FarByte));
        Assert.False(first.TryLock(FarByte));
        second.Dispose();
        Assert.True(first.TryLock(FarByte));
    }

    // On macOS a lock takes the whole file. While the duty was a byte of the lock file, its end freed the store's lock there.
    [Fact]
    public void The_lock_of_a_store_and_its_duties_are_independent()
    {
        var folder = new StoreFolder(FileSystem, At("store"));
        FileSystem.CreateFolder(folder.Root);
        Create(Path.Combine("store", StoreLayout.StoreFileName)).Dispose();
        using var first = new StoreLock(folder, TimeProvider.System);
        using var second = new StoreLock(folder, TimeProvider.System);
        using (var held = first.Acquire(TimeSpan.FromSeconds(10)))
        {
            StoreDuty.TryTakeFiles(folder, held)!.Dispose();
            StoreDuty.TryTake(folder, Duty.Sealing)!.Dispose();
            Assert.Throws<StoreLockTimeoutException>(() => second.Acquire(TimeSpan.Zero));
        }
        using var sealing = StoreDuty.TryTake(folder, Duty.Sealing);
        using var journal = StoreDuty.TakeFilesIfUsed(folder, TimeSpan.Zero);
        Assert.NotNull(sealing);
        Assert.NotNull(journal);
        using (var held = second.Acquire(TimeSpan.FromSeconds(10)))
            Assert.Null(StoreDuty.TryTakeFiles(folder, held));
        Assert.Null(StoreDuty.TryTake(folder, Duty.Sealing));
        Assert.Throws<StoreLockTimeoutException>(() => StoreDuty.TakeFilesIfUsed(folder, TimeSpan.Zero));
    }

    [Fact]
    public void A_locked_file_can_be_read_and_written_through_other_handles()
    {
        using var holder = Create("lock");
        Assert.True(holder.TryLock(FarByte));
        holder.Write("me"u8, 0);
        using var other = FileSystem.Open(At("lock"), FileOpening.Lock)!;
        var buffer = new byte[8];
        Assert.Equal(2, other.Read(buffer, 0));
        using (var through = FileSystem.Open(At("lock"), FileOpening.WriteThrough)!)
            through.Write("x"u8, 0);
        Assert.False(other.TryLock(FarByte));
        Assert.Equal(2, FileSystem.ReadPastCache(At("lock"), buffer, 0));
        Assert.Equal("xe"u8, buffer.AsSpan(0, 2));
    }

    [Fact]
    public void A_lock_excludes_another_process()
    {
        // Each starts two processes: a usual run has those of the file system that stores use here.
        LongTests.SkipUnless(FileSystem.GetType() == RealFileSystem.Create().GetType());
        using var file = FileSystem.Open(At("lock"), FileOpening.LockOrCreate)!;
        Assert.True(file.TryLock(FarByte));
        RealFileSystemChild.Run(nameof(RealFileSystemChild.Finds_the_byte_locked), FileSystem, At("lock"));
        file.Unlock(FarByte);
        RealFileSystemChild.Run(nameof(RealFileSystemChild.Locks_the_byte), FileSystem, At("lock"));
        Assert.True(file.TryLock(FarByte));
    }

    [Theory]
    [InlineData(0, 16)]
    [InlineData(1, 5000)]
    [InlineData(4095, 2)]
    [InlineData(4096, 4096)]
    [InlineData(5000, 600_000)]
    [InlineData(699_999, 10)]
    [InlineData(700_000, 10)]
    [InlineData(800_000, 10)]
    public void Reading_past_the_cache_gives_the_bytes_of_an_ordinary_read(int offset, int count)
    {
        var bytes = new byte[700_000];
        new Random(7).NextBytes(bytes);
        using var file = Create("a");
        file.Write(bytes, 0);
        file.Flush();
        var expected = new byte[count];
        var actual = new byte[count];
        var length = file.Read(expected, offset);
        Assert.Equal(length, FileSystem.ReadPastCache(At("a"), actual, offset));
        Assert.Equal(expected, actual);
    }

    [Fact]
    public void A_folder_in_the_place_of_a_file_is_named_so()
    {
        FileSystem.CreateFolder(At("a"));
        AssertFails(FileError.IsAFolder, () => FileSystem.Open(At("a"), FileOpening.Read));
        AssertFails(FileError.IsAFolder, () => FileSystem.Open(At("a"), FileOpening.ReadWrite));
        AssertFails(FileError.IsAFolder, () => FileSystem.Open(At("a"), FileOpening.ReadWriteOrCreate));
        AssertFails(FileError.IsAFolder, () => FileSystem.Delete(At("a")));
    }

    [Theory(Timeout = 60_000)]
    [InlineData("pipe")]
    [InlineData("socket")]
    [InlineData("device")]
    public Task What_is_no_regular_file_is_named_so_and_can_be_moved_and_deleted(string kind) => Task.Run(() =>
    {
        SpecialFile.Make(At("a"), kind);
        foreach (var opening in Enum.GetValues<FileOpening>())
            AssertFails(FileError.NotARegularFile, () => FileSystem.Open(At("a"), opening));
        AssertFails(FileError.NotARegularFile, () => FileSystem.OpenUncached(At("a")));
        Assert.Null(FileSystem.CreateNew(At("a")));
        FileSystem.Move(At("a"), At("c"));
        FileSystem.Delete(At("c"));
        Assert.Empty(FileSystem.List(folder));
    });

    [Fact]
    public void A_path_through_a_file_is_named_so()
    {
        Create("a").Dispose();
        AssertFails(FileError.NotAFolder, () => FileSystem.CreateNew(At("a/b")));
        AssertFails(FileError.NotAFolder, () => FileSystem.Open(At("a/b"), FileOpening.Read));
        AssertFails(FileError.NotAFolder, () => FileSystem.CreateFolder(At("a/b")));
        Assert.Equal(EntryKind.Missing, FileSystem.GetKind(At("a/b")));
    }

    [Fact]
    public void What_cannot_be_done_says_with_which_path_and_why()
    {
        var path = At("no/a");
        var failure = AssertFails(FileError.NotFound, () => FileSystem.CreateNew(path));
        Assert.Equal(path, failure.Path);
        Assert.StartsWith($"Could not create {path}: ", failure.Message, StringComparison.Ordinal);
        AssertFails(FileError.NotFound, () => FileSystem.List(At("no")));
        AssertFails(FileError.NotFound, () => FileSystem.GetVolume(At("no")));
        AssertFails(FileError.NotFound, () => FileSystem.Move(At("x"), At("y")));
    }

    [Fact]
    public void A_name_that_is_too_long_is_named_so() => AssertFails(FileError.NameTooLong, () => FileSystem.CreateNew(At(new string('x', 300))));

    [Fact]
    public void A_path_may_be_longer_than_260_characters()
    {
        var deep = At(new string('d', 100));
        FileSystem.CreateFolder(deep);
        deep = Path.Combine(deep, new string('e', 100));
        FileSystem.CreateFolder(deep);
        var path = Path.Combine(deep, new string('f', 100));
        using (var file = FileSystem.CreateNew(path)!)
            file.Write("abc"u8, 0);
        FileSystem.Move(path, path + "-");
        Assert.Equal(EntryKind.File, FileSystem.GetKind(path + "-"));
        Assert.Equal([Path.GetFileName(path) + "-"], FileSystem.List(deep));
        using (var file = FileSystem.Open(path + "-", FileOpening.Read)!)
            Assert.Equal(3, file.GetLength());
        FileSystem.FlushFolder(deep);
        FileSystem.Delete(path + "-");
        FileSystem.DeleteFolder(deep);
        Assert.Empty(FileSystem.List(Path.GetDirectoryName(deep)!));
    }

    [Fact]
    public void A_file_that_is_open_is_replaced()
    {
        PauseNot();
        var readers = new List<IFile>();
        Create("b").Dispose();
        for (byte round = 0; round < ReplacedFiles; round++)
        {
            readers.Add(FileSystem.Open(At("b"), FileOpening.Read)!);
            using (var file = Create("a"))
            {
                file.Write([round], 0);
                file.Flush();
            }
            FileSystem.Move(At("a"), At("b"));
            var buffer = new byte[2];
            using var replaced = FileSystem.Open(At("b"), FileOpening.Read)!;
            Assert.Equal(1, replaced.Read(buffer, 0));
            Assert.Equal(round, buffer[0]);
        }
        for (var round = 1; round < ReplacedFiles; round++)
        {
            var buffer = new byte[2];
            Assert.Equal(1, readers[round].Read(buffer, 0));
            Assert.Equal(round - 1, buffer[0]);
        }
        readers.ForEach(static each => each.Dispose());
        Assert.Equal(["b"], FileSystem.List(folder));
    }

    [Fact]
    public void A_file_without_permission_is_named_so()
    {
        Assert.SkipWhen(Environment.IsPrivilegedProcess, "root may do everything");
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("made with Unix permissions");
            return;
        }
        Create("a").Dispose();
        File.SetUnixFileMode(At("a"), UnixFileMode.None);
        AssertFails(FileError.AccessDenied, () => FileSystem.Open(At("a"), FileOpening.Read));
        AssertFails(FileError.AccessDenied, () => FileSystem.Open(At("a"), FileOpening.ReadWrite));
        FileSystem.CreateFolder(At("b"));
        File.SetUnixFileMode(At("b"), UnixFileMode.None);
        AssertFails(FileError.AccessDenied, () => FileSystem.CreateNew(At("b/c")));
        AssertFails(FileError.AccessDenied, () => FileSystem.GetKind(At("b/c")));
        AssertFails(FileError.AccessDenied, () => FileSystem.List(At("b")));
    }

    [Fact]
    public void A_full_disk_is_named_so()
    {
        using var small = Mount("tmpfs", "size=64k", "none");
        using var file = FileSystem.CreateNew(Path.Combine(small.Point, "a"))!;
        AssertFails(FileError.DiskFull, () => file.Write(new byte[100_000], 0));
    }

    [Fact]
    public void A_disk_mounted_for_reading_is_named_so()
    {
        using var small = Mount("tmpfs", "ro", "none");
        AssertFails(FileError.ReadOnly, () => FileSystem.CreateNew(Path.Combine(small.Point, "a")));
    }

    [Fact]
    public void Work_for_many_is_done_once_each()
    {
        var done = new int[1000];
        FileSystem.ForEach(done.Length, at => Interlocked.Increment(ref done[at]));
        FileSystem.ForEach(0, _ => Assert.Fail("there is nothing to do"));
        Assert.All(done, times => Assert.Equal(1, times));
    }

    [Fact]
    public void Work_waits_for_several_files_at_the_same_time()
    {
        using var all = new CountdownEvent(8);
        FileSystem.ForEach(8, _ =>
        {
            all.Signal();
            Assert.True(all.Wait(TimeSpan.FromSeconds(30)));
        });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    public void The_first_failure_of_work_for_many_comes_out_as_it_is(int count)
    {
        var failure = new FileSystemException(FileError.DiskFull, "write", "/a", "no space");
        var thrown = Assert.Throws<FileSystemException>(() => FileSystem.ForEach(count, _ => throw failure));
        Assert.Same(failure, thrown);
    }

    [Fact]
    public void A_pause_lasts_as_long_as_said()
    {
        foreach (var time in new[] { TimeSpan.FromMicroseconds(200), TimeSpan.FromMilliseconds(3) })
        {
            var start = Stopwatch.GetTimestamp();
            FileSystem.Pause(time);
            Assert.True(Stopwatch.GetElapsedTime(start) >= time);
        }
        FileSystem.Pause(TimeSpan.Zero);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_watch_hears_of_what_is_written_into_its_file_until_it_is_disposed()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only inotify tells of each write at once.");
        using var file = Create("a");
        using var beside = Create("b");
        var writes = System.Threading.Channels.Channel.CreateUnbounded<int>();
        var watch = FileSystem.Watch(At("a"), () => writes.Writer.TryWrite(0));
        Assert.NotNull(watch);
        for (var number = 0; number < 3; number++)
        {
            beside.Write("0"u8, number);
            file.Write("0"u8, number);
            await writes.Reader.ReadAsync(TestContext.Current.CancellationToken);
        }
        watch.Dispose();
        file.Write("0"u8, 3);
    }

    [Fact]
    public void Where_no_folder_is_there_is_no_watch() => Assert.Null(FileSystem.Watch(At("missing/a"), () => { }));

    [Fact]
    public void The_volume_of_a_folder_is_known()
    {
        var volume = FileSystem.GetVolume(folder);
        Assert.NotEmpty(volume.Name);
        if (volume.CanFlushWhole)
            FileSystem.FlushWhole(folder);
        FileSystem.FlushFolder(folder);
        Assert.True(FileSystem.GetDirtyBytes() >= 0);
    }

    /// <summary>Has the file system pass over pauses, where a test can have it.</summary>
    private protected virtual void PauseNot()
    {
    }

    public virtual void Dispose()
    {
        if (Directory.Exists(At("b")) && !OperatingSystem.IsWindows())
            File.SetUnixFileMode(At("b"), UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        Directory.Delete(folder, recursive: true);
        GC.SuppressFinalize(this);
    }

    protected string At(string name) => Path.Combine(folder, name);

    private protected IFile Create(string name) => FileSystem.CreateNew(At(name))!;

    private protected RealMount Mount(string type, string options, string source) => new(type, options, source, At("mounted"));

    private protected static FileSystemException AssertFails(FileError error, Func<object?> work) => AssertFails(error, () => { _ = work(); });

    private protected static FileSystemException AssertFails(FileError error, Action work)
    {
        var failure = Assert.Throws<FileSystemException>(work);
        Assert.Equal(error, failure.Error);
        return failure;
    }
}
