using Opossum.FileSystem;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.FileSystem;

public sealed class SimulatedFaultTests
{
    private readonly SimulatedDisk disk = new(VolumeKind.Ext4, new SimulatedClock());
    private readonly SimulatedFileSystem system;

    public SimulatedFaultTests() => system = disk.Attach();

    [Fact]
    public void Fault_fails_the_next_operation_it_is_for_and_no_other()
    {
        disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.CreateNew
            && operation.Path == "/b",
            Error = FileError.TooManyOpenFiles
        });

        Assert.NotNull(system.CreateNew("/a"));
        var error = Assert.Throws<FileSystemException>(() => system.CreateNew("/b"));
        Assert.Equal((FileError.TooManyOpenFiles, "/b"), (error.Error, error.Path));
        Assert.NotNull(system.CreateNew("/b"));
    }

    [Fact]
    public void Lasting_fault_fails_until_it_is_mended()
    {
        var fault = disk.Fail(new Fault { When = operation => operation.Changes, Error = FileError.ReadOnly, Lasts = true });

        Assert.Throws<FileSystemException>(() => system.CreateNew("/a"));
        Assert.Throws<FileSystemException>(() => system.CreateFolder("/b"));
        Assert.Empty(system.List("/"));
        Assert.Equal(2, fault.Hits);
        disk.Mend();
        Assert.NotNull(system.CreateNew("/a"));
    }

    [Fact]
    public void Failing_write_may_have_written_a_part()
    {
        var file = system.CreateNew("/a")!;
        disk.Fail(new Fault { When = operation => operation.Kind == OperationKind.Write, ArrivingShare = 0.5 });

        Assert.Throws<FileSystemException>(() => file.Write([1, 2, 3, 4], 0));
        Assert.Equal([1, 2], Bytes("/a"));
        disk.FailNext(OperationKind.Write);
        Assert.Throws<FileSystemException>(() => file.Write([1, 2, 3, 4], 2));
        Assert.Equal([1, 2], Bytes("/a"));
    }

    [Fact]
    public void Failing_flush_keeps_the_bytes_for_the_next_one()
    {
        var file = system.CreateNew("/a")!;
        file.Write([1], 0);
        disk.FailNext(OperationKind.Flush);
        Assert.Throws<FileSystemException>(() => file.Flush());
        Assert.Equal(EntryKind.Missing, AfterCut().GetKind("/a"));

        file.Flush();
        Assert.Equal([1], Bytes("/a", AfterCut()));
    }

    [Fact]
    public void Failing_flush_that_drops_the_bytes_fools_the_next_one()
    {
        var file = system.CreateNew("/a")!;
        file.Write([1, 2, 3], 0);
        disk.Fail(new Fault { When = operation => operation.Kind == OperationKind.Flush, DropsDirtyBytes = true });
        Assert.Throws<FileSystemException>(() => file.Flush());

        file.Flush();
        Assert.Equal([1, 2, 3], Bytes("/a"));
        Assert.Equal([0, 0, 0], Bytes("/a", AfterCut(PowerCutMode.KeepsAll)));

        file.Write([7], 1);
        Assert.Equal([0, 0, 0], Bytes("/a", AfterCut(PowerCutMode.LosesAll)));
        file.Flush();
        Assert.Equal([0, 7, 0], Bytes("/a", AfterCut(PowerCutMode.LosesAll)));
    }

    [Fact]
    public void Full_disk_refuses_until_something_is_deleted()
    {
        disk.Capacity = 10;
        using var a = system.CreateNew("/a")!;
        a.Write(new byte[6], 0);
        a.Write(new byte[6], 0);
        var b = system.CreateNew("/b")!;
        var error = Assert.Throws<FileSystemException>(() => b.Write([1, 2, 3, 4, 5], 0));
        Assert.Equal(FileError.DiskFull, error.Error);
        Assert.Equal([1, 2, 3, 4], Bytes("/b"));
        Assert.Equal(FileError.DiskFull, Assert.Throws<FileSystemException>(() => system.CreateNew("/c")).Error);
        Assert.Equal(FileError.DiskFull, Assert.Throws<FileSystemException>(() => a.SetLength(7)).Error);

        // A deleted file takes its room until the last handle is closed.
        system.Delete("/b");
        Assert.Throws<FileSystemException>(() => system.CreateNew("/c"));
        b.Dispose();
        Assert.NotNull(system.CreateNew("/c"));
        a.SetLength(2);
        Assert.Equal(2, disk.UsedBytes);
        system.Move("/c", "/a");
        a.Dispose();
        Assert.Equal(0, disk.UsedBytes);
        Create("/d", 3);
        Create("/e", 4);
        system.Move("/d", "/e");
        Assert.Equal(3, disk.UsedBytes);
    }

    [Fact]
    public void Deleted_and_replaced_files_go_on_under_open_handles()
    {
        using var file = system.CreateNew("/a")!;
        using var other = system.CreateNew("/b")!;
        file.Write([1], 0);
        Assert.False(file.IsUnlinked());
        system.Move("/b", "/a");
        Assert.True(file.IsUnlinked());
        Assert.False(other.IsUnlinked());
        file.Write([2], 1);
        Assert.Equal(2, file.GetLength());
        Assert.Empty(Bytes("/a"));
        system.Delete("/a");
        system.Delete("/a");
        Assert.True(other.IsUnlinked());
        Assert.Empty(system.List("/"));
    }

    [Fact]
    public void Impossible_requests_say_why()
    {
        system.CreateFolder("/folder");
        system.CreateFolder("/folder");
        system.CreateNew("/file")!.Dispose();

        Assert.Equal(FileError.NotFound, ErrorOf(() => system.CreateNew("/missing/a")));
        Assert.Equal(FileError.NotFound, ErrorOf(() => system.CreateFolder("/missing/a")));
        Assert.Equal(FileError.NotFound, ErrorOf(() => system.List("/missing")));
        Assert.Equal(FileError.NotFound, ErrorOf(() => system.Move("/missing", "/a")));
        Assert.Equal(FileError.NotAFolder, ErrorOf(() => system.CreateNew("/file/a")));
        Assert.Equal(FileError.NotAFolder, ErrorOf(() => system.CreateFolder("/file")));
        Assert.Equal(FileError.IsAFolder, ErrorOf(() => system.Open("/folder", FileOpening.Read)));
        Assert.Equal(FileError.IsAFolder, ErrorOf(() => system.Delete("/folder")));
        Assert.Equal(FileError.NameTooLong, ErrorOf(() => system.CreateNew("/" + new string('x', 256))));
        Assert.Null(system.CreateNew("/file"));
        Assert.Null(system.Open("/missing", FileOpening.ReadWrite));
        Assert.Null(system.ReadPastCache("/missing", new byte[1], 0));
        Assert.Equal(EntryKind.Missing, system.GetKind("/missing/a"));
        Assert.Equal(EntryKind.Folder, system.GetKind("\\folder\\"));
    }

    private void Create(string path, int length)
    {
        using var file = system.CreateNew(path)!;
        file.Write(new byte[length], 0);
    }

    private static FileError ErrorOf(Action action) => Assert.Throws<FileSystemException>(action).Error;

    private SimulatedFileSystem AfterCut(PowerCutMode mode = PowerCutMode.LosesAll) => disk.AfterPowerCut(new PowerCut(mode)).Attach();

    private byte[] Bytes(string path, SimulatedFileSystem? from = null)
    {
        var buffer = new byte[100];
        return buffer[..(from ?? system).ReadPastCache(path, buffer, 0)!.Value];
    }
}
