using System.Text.RegularExpressions;
using Opossum.FileSystem;
using Opossum.FileSystem.Linux;
using Opossum.FileSystem.Real;

namespace Opossum.Tests.FileSystem;

public sealed partial class RealLinuxFileSystemTests : RealFileSystemSuite
{
    private LinuxFileSystem? fileSystem;

    private protected override IFileSystem FileSystem
    {
        get
        {
            Assert.SkipUnless(LinuxFileSystem.IsSupported, "this is not 64-bit Linux");
            return fileSystem ??= new LinuxFileSystem();
        }
    }

    public override void Dispose()
    {
        fileSystem?.Dispose();
        base.Dispose();
        GC.SuppressFinalize(this);
    }

    [Fact]
    public void Linux_gets_its_own_calls() => Assert.IsType(FileSystem.GetType(), RealFileSystem.Create());

    // As on VirtualBox's shared folders.
    [Fact]
    public void A_folder_of_a_file_system_that_flushes_none_is_not_flushed() =>
        Assert.Null(Record.Exception(() => FileSystem.FlushFolder("/proc/self")));

    [Fact]
    public void A_file_is_locked_through_a_handle_that_cannot_be_read_from()
    {
        using var file = FileSystem.Open(At("lock"), FileOpening.LockOrCreate)!;
        Assert.True(file.TryLock(7));
        var locking = Directory.GetFiles("/proc/self/fd")
            .Where(each => new FileInfo(each).LinkTarget == At("lock"))
            .Select(each => File.ReadAllLines($"/proc/self/fdinfo/{Path.GetFileName(each)}"))
            .Single(lines => lines.Any(line => line.StartsWith("lock:", StringComparison.Ordinal)));
        var flags = locking.Single(line => line.StartsWith("flags:", StringComparison.Ordinal)).Split('\t')[1];
        Assert.Equal(1, Convert.ToInt32(flags, 8) & 3);
    }

    [Fact]
    public void Creating_writing_flushing_and_closing_are_four_system_calls()
    {
        var lines = Trace(nameof(RealFileSystemChild.Creates_files));
        for (var at = 0; at < RealFileSystemChild.FilesTraced; at++)
        {
            Assert.Equal(["openat", "pwrite64", "fsync", "close"],
                NamesOf(lines.Where(line => line.Contains($"/traced-{at}.json", StringComparison.Ordinal))));
        }
    }

    [Fact]
    public void Creating_writing_flushing_and_closing_allocate_one_small_object()
    {
        // A thread is given memory in pieces, and a collection, which other tests cause, takes away what is left of one: the least of many counts.
        var paths = Enumerable.Range(0, 201).Select(at => At($"{at}.json")).ToArray();
        Write(paths[^1]);
        var least = long.MaxValue;
        foreach (var path in paths.AsSpan(0, 200))
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            Write(path);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }
        Assert.InRange(least, 1, 64);

        void Write(string path)
        {
            using var file = FileSystem.CreateNew(path)!;
            file.Write("{}"u8, 0);
            file.Flush();
        }
    }

    [Fact]
    public void Different_bytes_are_locked_apart()
    {
        using var first = Create("lock");
        using var second = FileSystem.Open(At("lock"), FileOpening.ReadWrite)!;
        Assert.True(first.TryLock(FarByte));
        Assert.True(second.TryLock(FarByte + 1));
        Assert.False(second.TryLock(FarByte));
    }

    [Fact]
    public void A_closed_file_refuses_work_instead_of_using_anothers_number()
    {
        var closed = Create("a");
        closed.Dispose();
        using var other = Create("b");
        Assert.Throws<ObjectDisposedException>(() => closed.Write("x"u8, 0));
        Assert.Equal(0, other.GetLength());
        closed.Dispose();
    }

    [Fact]
    public void A_files_bytes_go_to_the_device()
    {
        LongTests.SkipUnlessAsked();
        var calls = Trace(nameof(RealFileSystemChild.Flushes_a_range));
        const string begin = "SYNC_FILE_RANGE_WRITE";
        const string wait = "SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE|SYNC_FILE_RANGE_WAIT_AFTER";
        // The whole file: from 0, and 0 bytes mean up to the end.
        Assert.Equal([$"0, 0, {begin}", $"0, 0, {wait}"],
            calls.Select(call => RangeFlags().Match(call)).Where(flags => flags.Success).Select(flags => flags.Value));
        Assert.Equal(["openat", "pwrite64", "sync_file_range", "sync_file_range", "close"], NamesOf(calls));
    }

    [Theory]
    [InlineData("770")]
    [InlineData("2755")]
    public void What_root_creates_belongs_to_the_owner_of_its_folder(string mode)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "this is not root");
        FileSystem.CreateFolder(At("store"));
        Assert.True(RealMount.Run("chown", "4321:4322", At("store")) && RealMount.Run("chmod", mode, At("store")));
        FileSystem.CreateNew(At("store/new"))!.Dispose();
        FileSystem.Open(At("store/or-created"), FileOpening.ReadWriteOrCreate)!.Dispose();
        FileSystem.Open(At("store/lock"), FileOpening.LockOrCreate)!.Dispose();
        FileSystem.CreateFolder(At("store/folder"));
        FileSystem.CreateNew(At("store/folder/inner"))!.Dispose();
        using (var opened = FileSystem.OpenFolder(At("store"))!)
            opened.CreateNew(At("store/in-open"))!.Dispose();
        Assert.All((string[])["new", "or-created", "lock", "folder", "folder/inner", "in-open"],
            each => Assert.Equal("4321:4322", OwnerOf($"store/{each}")));
        Assert.Equal(Convert.ToInt32(mode, 8), ModeOf("store/folder"));
        Assert.All((string[])["new", "or-created", "lock", "folder/inner", "in-open"],
            each => Assert.Equal(Convert.ToInt32(mode, 8) & 0x1B6, ModeOf($"store/{each}")));
    }

    [Fact]
    public void An_open_folder_gets_its_files_wherever_it_was_moved()
    {
        FileSystem.CreateFolder(At("store"));
        using var opened = FileSystem.OpenFolder(At("store"))!;
        FileSystem.MoveFolder(At("store"), At("aside"));
        FileSystem.CreateFolder(At("store"));
        using (var created = opened.CreateNew(At("store/new")))
            created!.Write("a"u8, 0);
        Assert.Null(opened.CreateNew(At("store/new")));
        Assert.Empty(FileSystem.List(At("store")));
        Assert.Equal("a", File.ReadAllText(At("aside/new")));
        FileSystem.RemoveFolder(At("aside"));
        Assert.Equal(FileError.NotFound, Assert.Throws<FileSystemException>(() => opened.CreateNew(At("store/newer"))).Error);
    }

    [Fact]
    public void A_file_that_is_there_keeps_its_owner_and_a_folder_for_all_users_passes_nothing_on()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "this is not root");
        FileSystem.CreateFolder(At("store"));
        FileSystem.CreateNew(At("store/lock"))!.Dispose();
        Assert.True(RealMount.Run("chown", "4321:4322", At("store")));
        FileSystem.Open(At("store/lock"), FileOpening.LockOrCreate)!.Dispose();
        Assert.Equal("0:0", OwnerOf("store/lock"));
        Assert.True(RealMount.Run("chmod", "1777", At("store")));
        FileSystem.CreateNew(At("store/new"))!.Dispose();
        Assert.Equal("0:0", OwnerOf("store/new"));
    }

    [Fact]
    public void A_folder_of_a_lower_layer_is_moved()
    {
        using var disk = Mount("tmpfs", "size=4m", "none");
        foreach (var each in (string[])["lower", "lower/live.1", "lower/live.1/states", "upper", "work"])
            Directory.CreateDirectory(Path.Combine(disk.Point, each));
        var bytes = Enumerable.Range(0, 300_000).Select(static each => (byte)each).ToArray();
        File.WriteAllBytes(Path.Combine(disk.Point, "lower/live.1/states/a.json"), bytes);
        File.WriteAllText(Path.Combine(disk.Point, "lower/live.1/empty.json"), "");
        using var mounted = new RealMount("overlay",
            $"lowerdir={disk.Point}/lower,upperdir={disk.Point}/upper,workdir={disk.Point}/work", "overlay", At("layers"));
        // A former move ended in the middle.
        Directory.CreateDirectory(At("layers/live.1.moving/states"));
        FileSystem.MoveFolder(At("layers/live.1"), At("layers/live.2"));
        Assert.Equal(["live.2"], FileSystem.List(mounted.Point));
        Assert.Equal(bytes, File.ReadAllBytes(At("layers/live.2/states/a.json")));
        Assert.Empty(File.ReadAllBytes(At("layers/live.2/empty.json")));
        FileSystem.MoveFolder(At("layers/live.2"), At("layers/live.3"));
        Assert.Equal(["live.3"], FileSystem.List(mounted.Point));
    }

    [Fact]
    public void A_tmpfs_is_of_this_machine_and_promises_nothing()
    {
        using var mounted = Mount("tmpfs", "size=64k", "none");
        Assert.Equal(new Volume { Name = "tmpfs", FileFlushCoversName = false }, FileSystem.GetVolume(mounted.Point));
    }

    [Theory]
    [InlineData("fast_commit", "ext4 with fast_commit", false, true, false)]
    [InlineData("^fast_commit", "ext4", true, true, true)]
    [InlineData("^has_journal", "ext4 without a journal", false, false, false)]
    public void The_features_of_ext4_are_seen(string feature, string name, bool coversName, bool whole, bool range)
    {
        FileSystem.CreateFolder(At("mounted"));
        using (var image = File.Create(At("image")))
            image.SetLength(16 * 1024 * 1024);
        Assert.SkipUnless(RealMount.Run("mkfs.ext4", "-q", "-F", "-O", feature, At("image")), "mkfs.ext4 is not here, or does not know the feature");
        using var mounted = Mount("ext4", "loop", At("image"));
        Assert.Equal(new Volume { Name = name, FileFlushCoversName = coversName, CanFlushWhole = whole, CanFlushRange = range },
            FileSystem.GetVolume(mounted.Point));
        FileSystem.SpreadSubfolders(mounted.Point);
        (FileSystem as IDisposable)!.Dispose();
    }

    [Theory]
    [InlineData("fc stats:\n0 commits\n0 ineligible\n0 numblks\n0us avg_commit_time\n", false)]
    [InlineData("fc stats:\n12 commits\n0 ineligible\n4 numblks\n", true)]
    [InlineData("fc stats:\n0 commits\n3 ineligible\n0 numblks\n", true)]
    [InlineData("", false)]
    public void Fast_commits_are_counted(string text, bool expected) => Assert.Equal(expected, LinuxVolume.HasFastCommits(text));

    [Fact]
    public void Dirty_pages_are_summed_up() =>
        Assert.Equal(
            3 + 40 + 500,
            LinuxDirtyBytes.Sum("nr_file_pages 7\nnr_dirty 3\nnr_writeback 40\nnr_writeback_temp 9\nnr_unstable 500\nnr_dirtied 8\nnr_dirty_threshold 1"u8));

    private int ModeOf(string name) => OperatingSystem.IsWindows() ? 0 : (int)File.GetUnixFileMode(At(name));

    private string OwnerOf(string name)
    {
        using var stat = System.Diagnostics.Process.Start(
            new System.Diagnostics.ProcessStartInfo("stat", ["-c", "%u:%g", At(name)]) { RedirectStandardOutput = true })!;
        return stat.StandardOutput.ReadToEnd().Trim();
    }

    // What a child has called for the files of the folder that it is given.
    private List<string> Trace(string test)
    {
        Assert.SkipUnless(RealMount.Run("strace", "-qqq", "true"), "strace is not here, or may not trace");
        FileSystem.CreateFolder(At("files"));
        RealFileSystemChild.Run(test, FileSystem, At("files"), "strace", "-f", "-y", "-qqq", "-o", At("trace"));
        return [.. File.ReadAllLines(At("trace")).Where(line => line.Contains($"{At("files")}/", StringComparison.Ordinal))];
    }

    // A line is "pid call(...", and "pid <... call resumed>..." when another thread's call came between.
    private static IEnumerable<string> NamesOf(IEnumerable<string> lines) =>
        lines.Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1].Split('(')[0]).Where(call => call != "<...");

    [GeneratedRegex("0, 0, SYNC_FILE_RANGE_[A-Z_|]+")]
    private static partial Regex RangeFlags();
}
