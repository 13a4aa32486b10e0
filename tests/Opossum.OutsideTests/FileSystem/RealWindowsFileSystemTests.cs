using System.IO.MemoryMappedFiles;
using System.Runtime.Versioning;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.FileSystem.Windows;
using Opossum.Maintenance;

namespace Opossum.Tests.FileSystem;

[SupportedOSPlatform("windows")]
public sealed class RealWindowsFileSystemTests : RealFileSystemSuite
{
    private readonly List<TimeSpan> pauses = [];
    private WindowsFileSystem? fileSystem;
    private Action? whenPaused;

    private protected override IFileSystem FileSystem
    {
        get
        {
            Assert.SkipUnless(OperatingSystem.IsWindows(), "this is not Windows");
            return fileSystem ??= new WindowsFileSystem(time =>
            {
                pauses.Add(time);
                (whenPaused ?? (() => WindowsPause.For(time)))();
            });
        }
    }

    public static TheoryData<string> Uses => ["open", "open uncached", "delete", "move", "replace", "set length"];

    [Fact]
    public void Windows_gets_its_own_calls() => Assert.IsType(FileSystem.GetType(), RealFileSystem.Create());

    [Theory]
    [MemberData(nameof(Uses))]
    public void What_another_program_holds_for_a_moment_is_waited_for(string use) => AssertWaitsFor(use);

    [Theory]
    [MemberData(nameof(Uses))]
    public void What_another_program_keeps_is_named_so_after_two_seconds(string use) => AssertNames(use);

    [Theory]
    [InlineData("read")]
    [InlineData("write")]
    public void Bytes_that_another_program_locks_for_a_moment_are_waited_for(string use) => AssertWaitsFor(use);

    [Theory]
    [InlineData("read")]
    [InlineData("write")]
    public void Bytes_that_another_program_keeps_locked_are_named_so_after_two_seconds(string use) => AssertNames(use);

    [Fact]
    public void What_another_program_keeps_can_be_looked_at()
    {
        Create("a").Dispose();
        using var held = Hold("a");
        Assert.Equal(EntryKind.File, FileSystem.GetKind(At("a")));
        Assert.Equal(["a"], FileSystem.List(At("")));
        Assert.False(FileSystem.IsLink(At("a")));
        Assert.Empty(pauses);
    }

    [Fact]
    public void A_folder_is_moved_once_the_file_in_it_is_closed()
    {
        FileSystem.CreateFolder(At("a"));
        using var inside = Create("a/file");
        whenPaused = () =>
        {
            if (pauses.Count == 3)
                inside.Dispose();
        };
        FileSystem.MoveFolder(At("a"), At("b"));
        Assert.Equal(["file"], FileSystem.List(At("b")));
    }

    [Fact]
    public async Task A_drives_root_becomes_a_store()
    {
        var root = Environment.GetEnvironmentVariable("OPOSSUM_TEST_DRIVE");
        Assert.SkipWhen(string.IsNullOrEmpty(root), "OPOSSUM_TEST_DRIVE does not name the root of an empty drive");
        FileSystem.CreateFolder(Path.Combine(root, "$RECYCLE.BIN"));
        FileSystem.CreateFolder(Path.Combine(root, "System Volume Information"));
        await using (var store = FileSystemEventStore.Open(new OpossumOptions(), FileSystem, root))
            await store.AppendAsync([Events.New("t")], cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal([], StoreCheck.Run(FileSystem, root).Findings);
    }

    [Fact]
    public void A_network_drive_is_no_local_one()
    {
        var local = FileSystem.GetVolume(At(""));
        var drive = Array.Find(DriveInfo.GetDrives(), static each => each.DriveType == DriveType.Network && each.IsReady);
        Assert.SkipWhen(drive is null, "there is no network drive here");
        Assert.True(FileSystem.GetVolume(drive.RootDirectory.FullName).IsNetwork);
        Assert.False(local.IsNetwork);
    }

    [Fact]
    public void A_link_is_refused_and_what_it_leads_to_stays_untouched()
    {
        Create("outside").Dispose();
        FileSystem.CreateFolder(At("folder"));
        TestLink.ToFile(At("a"), At("outside"));
        TestLink.ToFolder(At("b"), At("folder"));
        foreach (var opening in Enum.GetValues<FileOpening>())
            AssertFails(FileError.IsALink, () => FileSystem.Open(At("a"), opening));
        AssertFails(FileError.IsALink, () => FileSystem.Open(At("b"), FileOpening.Read));
        Assert.True(FileSystem.IsLink(At("a")));
        Assert.True(FileSystem.IsLink(At("b")));
        Assert.False(FileSystem.IsLink(At("folder")));
        Assert.False(FileSystem.IsLink(At("outside")));
    }

    private protected override void PauseNot() => whenPaused = static () => { };

    private void AssertWaitsFor(string use)
    {
        var (work, hold) = Prepare(use);
        using var held = hold();
        whenPaused = () =>
        {
            if (pauses.Count == 3)
                held.Dispose();
        };
        work();
        Assert.Equal(3, pauses.Count);
    }

    private void AssertNames(string use)
    {
        var (work, hold) = Prepare(use);
        using var held = hold();
        PauseNot();
        var failure = AssertFails(FileError.InUse, work);
        Assert.Contains(At(use == "replace" ? "b" : use == "move" ? "c" : "a"), failure.Message, StringComparison.Ordinal);
        Assert.InRange(pauses.Aggregate(static (sum, each) => sum + each), TimeSpan.FromSeconds(1.9), TimeSpan.FromSeconds(2.1));
    }

    private (Action Work, Func<IDisposable> Hold) Prepare(string use)
    {
        using (var file = Create("a"))
            file.Write("0123456789"u8, 0);
        using (var file = Create("b"))
            file.Write("0123456789"u8, 0);
        switch (use)
        {
            case "open":
                return (() => FileSystem.Open(At("a"), FileOpening.Read)!.Dispose(), () => Hold("a"));
            case "open uncached":
                return (() => FileSystem.ReadPastCache(At("a"), new byte[4], 0), () => Hold("a"));
            case "delete":
                return (() => FileSystem.Delete(At("a")), () => Hold("a"));
            case "move":
                return (() => FileSystem.Move(At("a"), At("c")), () => Hold("a"));
            case "replace":
                return (() => FileSystem.Move(At("a"), At("b")), () => Hold("b"));
            case "set length":
                var mapped = FileSystem.Open(At("a"), FileOpening.ReadWrite)!;
                return (() => mapped.SetLength(3), () => Map("a"));
            default:
                var opened = FileSystem.Open(At("a"), FileOpening.ReadWrite)!;
                return (use == "read" ? () => opened.Read(new byte[10], 0) : () => opened.Write("x"u8, 4), () => Lock("a"));
        }
    }

    private FileStream Hold(string name) => new(At(name), FileMode.Open, FileAccess.Read, FileShare.None);

    private FileStream Lock(string name)
    {
        var stream = new FileStream(At(name), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        stream.Lock(0, 10);
        return stream;
    }

    private MemoryMappedFile Map(string name)
    {
        var stream = new FileStream(At(name), FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        return MemoryMappedFile.CreateFromFile(stream, null, 0, MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: false);
    }
}
