using Opossum.FileSystem;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.FileSystem;

public sealed class SimulatedClientTests
{
    private static readonly TimeSpan staleness = TimeSpan.FromSeconds(30);
    private readonly SimulatedClock clock = new();
    private readonly SimulatedDisk disk;
    private readonly SimulatedFileSystem a;
    private readonly SimulatedFileSystem b;

    public SimulatedClientTests()
    {
        disk = new SimulatedDisk(VolumeKind.Smb, clock);
        a = disk.Attach();
        b = disk.Attach(staleness);
    }

    [Fact]
    public void Stale_client_believes_a_name_missing_until_the_time_has_passed()
    {
        Assert.Equal(EntryKind.Missing, b.GetKind("/x"));
        Assert.Null(b.Open("/y", FileOpening.Read));
        Assert.Empty(b.List("/"));
        a.CreateNew("/x")!.Dispose();
        a.CreateNew("/y")!.Dispose();

        Assert.Equal(EntryKind.Missing, b.GetKind("/x"));
        Assert.Null(b.Open("/x", FileOpening.Read));
        Assert.Null(b.Open("/y", FileOpening.ReadWrite));
        Assert.Empty(b.List("/"));
        Assert.Equal(0, b.ReadPastCache("/x", new byte[1], 0));

        b.Pause(staleness);
        Assert.Equal(EntryKind.File, b.GetKind("/x"));
        Assert.NotNull(b.Open("/y", FileOpening.Read));
        Assert.Equal(2, b.List("/").Count);
    }

    [Fact]
    public void Exclusive_creation_is_never_stale_and_mends_the_name()
    {
        Assert.Null(b.Open("/x", FileOpening.Read));
        a.CreateNew("/x")!.Dispose();
        Assert.Null(b.Open("/x", FileOpening.Read));

        Assert.Null(b.CreateNew("/x"));
        Assert.NotNull(b.Open("/x", FileOpening.Read));

        Assert.Equal(EntryKind.File, b.GetKind("/x"));
        a.Delete("/x");
        Assert.Equal(EntryKind.File, b.GetKind("/x"));
        Assert.NotNull(b.CreateNew("/x"));
    }

    [Fact]
    public void Stale_client_sees_an_old_end_through_a_kept_handle_and_the_true_one_through_a_new_one()
    {
        using var writer = a.CreateNew("/x")!;
        writer.Write([1], 0);
        using var reader = b.Open("/x", FileOpening.Read)!;
        Assert.Equal([1], Read(reader));
        writer.Write([2], 1);
        a.Delete("/x");

        Assert.Equal([1], Read(reader));
        Assert.Equal(1, reader.GetLength());
        Assert.False(reader.IsUnlinked());
        var past = clock.GetUtcNow();
        b.Pause(staleness);
        Assert.Equal([1, 2], Read(reader));
        Assert.True(reader.IsUnlinked());
        Assert.Equal(past + staleness, clock.GetUtcNow());

        using var other = b.CreateNew("/x")!;
        using var aOther = a.Open("/x", FileOpening.ReadWrite)!;
        Assert.Equal(0, other.GetLength());
        aOther.Write([3], 0);
        Assert.Equal(0, other.GetLength());
        using var anew = b.Open("/x", FileOpening.Read)!;
        Assert.Equal([3], Read(anew));
    }

    [Fact]
    public void Stale_client_sees_its_own_writes()
    {
        using var file = b.CreateNew("/x")!;
        Assert.Equal(0, file.GetLength());
        file.Write([1, 2, 3], 0);
        Assert.Equal([1, 2, 3], Read(file));
        file.SetLength(1);
        Assert.Equal([1], Read(file));
        Assert.Equal(["x"], b.List("/"));
        b.Move("/x", "/y");
        Assert.Equal(["y"], b.List("/"));
        b.Open("/z", FileOpening.ReadWriteOrCreate)!.Dispose();
        Assert.Equal(["y", "z"], b.List("/").Order());
    }

    [Fact]
    public void Stale_client_sees_a_file_as_it_is_once_it_has_locked_it()
    {
        using var other = a.CreateNew("/x")!;
        using var file = b.Open("/x", FileOpening.ReadWrite)!;
        Assert.Empty(Read(file));
        other.Write([1], 0);
        Assert.Empty(Read(file));
        Assert.True(file.TryLock(5));
        Assert.Equal([1], Read(file));
    }

    [Fact]
    public void Smb_client_that_has_lost_the_connection_writes_to_whatever_has_the_name_since()
    {
        using var late = a.CreateNew("/x")!;
        using var moved = a.CreateNew("/y.new")!;
        a.Move("/y.new", "/y");
        using var gone = a.CreateNew("/z")!;
        a.LoseConnection();
        b.Move("/x", "/aside");
        b.Delete("/z");
        using (var other = b.CreateNew("/x")!)
            other.Write([1, 1, 1], 0);

        late.Write([2], 0);
        moved.Write([3], 0);
        Assert.Equal(FileError.HandleLost, Assert.Throws<FileSystemException>(() => gone.Write([4], 0)).Error);
        using var x = a.Open("/x", FileOpening.Read)!;
        using var y = a.Open("/y", FileOpening.Read)!;
        using var aside = a.Open("/aside", FileOpening.Read)!;
        Assert.Equal([2, 1, 1], Read(x));
        Assert.Equal([3], Read(y));
        Assert.Empty(Read(aside));
    }

    [Fact]
    public void Operations_take_their_time()
    {
        disk.OperationTime = TimeSpan.FromSeconds(20);
        Assert.Null(b.Open("/x", FileOpening.Read));
        a.CreateNew("/x")!.Dispose();
        Assert.NotNull(b.Open("/x", FileOpening.Read));
    }

    [Fact]
    public void Nfs_client_with_a_handle_for_writing_reads_zeros_where_another_appended()
    {
        var nfs = new SimulatedDisk(VolumeKind.Nfs, clock);
        var (writing, appending) = (nfs.Attach(), nfs.Attach());
        using var reader = Create(writing, "/x", [1, 2]);
        var kept = writing.Open("/x", FileOpening.ReadWrite)!;
        using var other = appending.Open("/x", FileOpening.ReadWrite)!;
        other.Write([7, 3, 4], 1);

        Assert.Equal([1, 7, 0, 0], Read(reader));
        Assert.Equal([1, 7, 3, 4], Read(other));
        var buffer = new byte[4];
        Assert.Equal(4, writing.ReadPastCache("/x", buffer, 0));
        Assert.Equal([1, 7, 3, 4], buffer);
        clock.Advance(TimeSpan.FromHours(1));
        Assert.Equal([1, 7, 0, 0], Read(reader));
        kept.Write([3], 2);
        Assert.Equal([1, 7, 3, 0], Read(reader));

        kept.Dispose();
        Assert.Equal([1, 7, 3, 4], Read(reader));
        other.Write([5], 4);
        Assert.Equal([1, 7, 3, 4, 5], Read(reader));
    }

    [Fact]
    public void Lock_keeps_out_every_other_handle_until_it_is_freed_closed_or_its_process_killed()
    {
        using var holder = a.CreateNew("/lock")!;
        using var sibling = a.Open("/lock", FileOpening.ReadWrite)!;
        using var other = b.Open("/lock", FileOpening.ReadWrite)!;
        Assert.True(holder.TryLock(5));
        Assert.True(holder.TryLock(5));
        Assert.False(sibling.TryLock(5));
        Assert.False(other.TryLock(5));
        Assert.True(other.TryLock(6));

        holder.Unlock(5);
        Assert.True(sibling.TryLock(5));
        sibling.Dispose();
        Assert.True(holder.TryLock(5));
        Assert.False(other.TryLock(5));
        a.Kill();
        Assert.True(other.TryLock(5));
        Assert.Throws<ProcessKilledException>(() => holder.Unlock(5));
        Assert.Throws<ProcessKilledException>(() => a.List("/"));
    }

    [Fact]
    public void Smb_locks_are_mandatory()
    {
        using var holder = Create(a, "/x", [1, 2, 3]);
        using var writer = b.Open("/x", FileOpening.ReadWrite)!;
        using var holdersLock = a.Open("/x", FileOpening.ReadWrite)!;
        Assert.True(holdersLock.TryLock(1));
        Assert.Equal(FileError.AccessDenied, Assert.Throws<FileSystemException>(() => writer.Write([9, 9], 0)).Error);
        Assert.Equal(FileError.AccessDenied, Assert.Throws<FileSystemException>(() => holder.Read(new byte[3], 0)).Error);
        writer.Write([9], 2);
        holdersLock.Write([9], 1);
        Assert.Equal(1, holder.Read(new byte[1], 0));
    }

    [Theory]
    [InlineData("OwnClient", false, true)]
    [InlineData("Nobody", true, true)]
    public void Lock_may_fail_to_exclude(string reach, bool sibling, bool other)
    {
        disk.LockReach = Enum.Parse<LockReach>(reach);
        using var holder = a.CreateNew("/lock")!;
        Assert.True(holder.TryLock(5));
        Assert.Equal(sibling, a.Open("/lock", FileOpening.ReadWrite)!.TryLock(5));
        Assert.Equal(other, b.Open("/lock", FileOpening.ReadWrite)!.TryLock(5));
    }

    [Fact]
    public void Lock_may_be_lost_while_its_holder_goes_on()
    {
        using var holder = a.CreateNew("/lock")!;
        using var other = b.Open("/lock", FileOpening.ReadWrite)!;
        Assert.True(holder.TryLock(5));
        a.LoseConnection();
        Assert.True(other.TryLock(5));
        holder.Write([1], 0);
        holder.Unlock(5);
        Assert.False(holder.TryLock(5));
    }

    [Fact]
    public void Killed_process_leaves_what_it_wrote()
    {
        a.KillAfter(3);
        var file = a.CreateNew("/x")!;
        file.Write([1], 0);
        Assert.True(file.TryLock(5));
        Assert.Throws<ProcessKilledException>(() => file.Write([2], 1));

        using var found = b.Open("/x", FileOpening.ReadWrite)!;
        Assert.Equal([1], Read(found));
        Assert.True(found.TryLock(5));
    }

    [Fact]
    public void Another_client_may_act_in_the_middle_of_an_operation()
    {
        List<string> heard = [];
        a.BeforeOperation = operation =>
        {
            heard.Add(operation.ToString());
            if (operation.Kind == OperationKind.CreateNew)
                b.CreateNew(operation.Path)!.Write([7], 0);
        };

        Assert.Null(a.CreateNew("/x"));
        Assert.Equal([7], Read(a.Open("/x", FileOpening.Read)!));
        Assert.Equal(["CreateNew /x", "Open /x", "Read /x 100 @0"], heard);
    }

    [Fact]
    public void Process_may_be_killed_by_a_hook_before_its_operation()
    {
        a.BeforeOperation = _ => a.Kill();
        Assert.Throws<ProcessKilledException>(() => a.CreateNew("/x"));
        Assert.Empty(b.List("/"));
    }

    [Fact]
    public async Task Threads_take_turns()
    {
        var shared = new SimulatedDisk();
        var system = shared.Attach();
        system.CreateNew("/counter")!.Write([0, 0], 0);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(() =>
        {
            for (var i = 0; i < 50; i++)
            {
                using var file = system.Open("/counter", FileOpening.ReadWrite)!;
                while (!file.TryLock(long.MaxValue / 2))
                    system.Pause(TimeSpan.FromMilliseconds(0.1));

                var bytes = new byte[1];
                file.Read(bytes, 0);
                file.Write([(byte)(bytes[0] + 1)], 0);
            }
        })));

        Assert.Equal(200, Read(system.Open("/counter", FileOpening.Read)!)[0]);
    }

    private static IFile Create(SimulatedFileSystem system, string path, byte[] bytes)
    {
        using (var file = system.CreateNew(path)!)
            file.Write(bytes, 0);

        return system.Open(path, FileOpening.Read)!;
    }

    private static byte[] Read(IFile file)
    {
        var buffer = new byte[100];
        return buffer[..file.Read(buffer, 0)];
    }
}
