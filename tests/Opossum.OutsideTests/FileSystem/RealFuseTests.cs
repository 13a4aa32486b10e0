using System.Text;
using Opossum.FileSystem;
using Opossum.FileSystem.Linux;

namespace Opossum.Tests.FileSystem;

/// <summary>The file system's own calls on a mount of FUSE, whose client is a program.</summary>
public sealed class RealFuseTests : IDisposable
{
    private const int Stale = 116;
    private const int Missing = 2;
    private const uint Synchronous = 0x101000;

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;
    private readonly LinuxFileSystem fileSystem = new();
    private FuseMount? mounted;

    public void Dispose()
    {
        fileSystem.Dispose();
        mounted?.Dispose();
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void Its_client_is_not_believed()
    {
        var volume = fileSystem.GetVolume(Mount().Point, forReading: false);
        Assert.Equal(new Volume
        {
            Name = "fuse.tiny",
            FileFlushCoversName = false,
            IsNetwork = true,
            ForbidsKeptWriteHandles = true,
            CachesIgnoreLocks = true
        }, volume);
    }

    [Fact]
    public void Bytes_that_another_machine_changes_are_read_although_the_kernel_has_kept_others()
    {
        var mount = Mount();
        using (var cached = fileSystem.Open(mount.Path, FileOpening.Read)!)
            Assert.Equal("first", ReadText(cached));
        fileSystem.GetVolume(mount.Point, forReading: false);
        // Such as a folder of keys on a local disk.
        fileSystem.GetVolume(folder, forReading: false);
        using var file = fileSystem.Open(mount.Path, FileOpening.Read)!;
        using var locked = fileSystem.Open(mount.Path, FileOpening.Lock)!;
        foreach (var text in (string[])["other", "third"])
        {
            mount.Bytes = Encoding.UTF8.GetBytes(text);
            Assert.Equal(text, ReadText(file));
            Assert.Equal(text, ReadText(locked));
        }
    }

    [Fact]
    public void An_opening_whose_name_leads_to_a_file_that_is_no_more_is_tried_again()
    {
        var mount = Mount();
        foreach (var opening in (FileOpening[])[FileOpening.Read, FileOpening.ReadWrite, FileOpening.WriteThrough, FileOpening.Lock])
        {
            // The kernel itself looks the name up again once.
            mount.Fail(FuseRequest.Open, times: 6, Stale);
            using var file = fileSystem.Open(mount.Path, opening);
            Assert.NotNull(file);
        }
        mount.Fail(FuseRequest.Open, times: 6, Stale);
        Assert.Equal(5, fileSystem.ReadPastCache(mount.Path, new byte[9], 0));
    }

    [Theory]
    [InlineData(Stale)]
    [InlineData(Missing)]
    public void A_file_that_is_found_gone_when_it_is_first_read_is_opened_again(int error)
    {
        var mount = Mount();
        fileSystem.GetVolume(mount.Point, forReading: false);
        using var file = fileSystem.Open(mount.Path, FileOpening.Read)!;
        mount.Fail(FuseRequest.ReadFile, times: 2, error);
        Assert.Equal("first", ReadText(file));
    }

    [Theory]
    [InlineData(Stale)]
    [InlineData(Missing)]
    public void A_file_that_was_read_and_is_gone_is_not_another_ones(int error)
    {
        var mount = Mount();
        fileSystem.GetVolume(mount.Point, forReading: false);
        using var file = fileSystem.Open(mount.Path, FileOpening.Read)!;
        Assert.Equal("first", ReadText(file));
        mount.Fail(FuseRequest.ReadFile, times: 1, error);
        Assert.Equal(FileError.HandleLost, Assert.Throws<FileSystemException>(() => ReadText(file)).Error);
    }

    [Fact]
    public void What_is_written_through_is_marked_so()
    {
        var mount = Mount();
        using (var file = fileSystem.Open(mount.Path, FileOpening.WriteThrough)!)
            file.Write("x"u8, 0);
        Assert.Equal(Synchronous, Assert.Single(mount.WriteFlags) & Synchronous);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Locks_that_are_not_handed_on_are_seen(bool takesLocks)
    {
        var mount = Mount(takesLocks);
        using var file = fileSystem.Open(mount.Path, FileOpening.Lock)!;
        Assert.True(file.TryLock(1L << 62));
        Assert.Equal(!takesLocks, file.LocksStayHere());
        file.Unlock(1L << 62);
    }

    [Fact]
    public void Locks_of_other_file_systems_do_not_tell()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "this is not Linux");
        using var file = fileSystem.Open(Path.Combine(folder, "lock"), FileOpening.LockOrCreate)!;
        Assert.True(file.TryLock(1L << 62));
        Assert.False(file.LocksStayHere());
    }

    [Fact]
    public void A_mount_whose_client_has_ended_leads_nowhere_until_it_is_mounted_again()
    {
        var mount = Mount();
        fileSystem.GetVolume(mount.Point, forReading: false);
        using var file = fileSystem.Open(mount.Path, FileOpening.Read)!;
        Assert.Equal("first", ReadText(file));
        mount.End();
        Assert.Equal(FileError.HandleLost, Assert.Throws<FileSystemException>(() => ReadText(file)).Error);
        Assert.Equal(FileError.HandleLost, Assert.Throws<FileSystemException>(() => fileSystem.Open(mount.Path, FileOpening.Read)).Error);
        mount.Dispose();
        mounted = new FuseMount(mount.Point);
        Assert.Equal(FileError.HandleLost, Assert.Throws<FileSystemException>(() => ReadText(file)).Error);
        using var again = fileSystem.Open(mount.Path, FileOpening.Read)!;
        Assert.Equal("first", ReadText(again));
    }

    private FuseMount Mount(bool takesLocks = true)
    {
        Assert.SkipUnless(LinuxFileSystem.IsSupported, "this is not 64-bit Linux");
        return mounted = new FuseMount(Path.Combine(folder, "mounted"), takesLocks);
    }

    private static string ReadText(IFile file)
    {
        var buffer = new byte[64];
        return Encoding.UTF8.GetString(buffer, 0, file.Read(buffer, 0));
    }
}
