using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>A client's handle on a file of the simulated disk.</summary>
internal sealed class SimulatedFile(SimulatedFileSystem client, string path, FileInode inode, FileOpening opening) : IFile
{
    private readonly SimulatedDisk disk = client.Disk;
    private readonly int mount = client.Mount;
    private bool isDisposed;
    private bool isLost;

    public SimulatedFileSystem Client => client;

    public string Path { get; set; } = path;

    public FileInode Inode { get; set; } = inode;

    public bool IsForWriting => opening != FileOpening.Read;

    public int Read(Span<byte> buffer, long offset)
    {
        using var turn = Begin(OperationKind.Read, offset, buffer.Length);
        ThrowIfLockedByOther(turn, offset, buffer.Length);
        var count = PassesCacheBy ? Inode.Read(buffer, offset) : client.Cache.Read(Inode, buffer, offset);
        return client.HeldBack.LayOver(Inode, buffer, offset, count);
    }

    /// <summary>Is in the trace, and does nothing else: it cannot fail, and takes no time.</summary>
    public void Prefetch(long offset, long length)
    {
        using var scope = disk.EnterGate();
        disk.Trace?.Add(new SimulatedOperation(client, OperationKind.Prefetch, Path, offset, length, null));
    }

    public void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        ThrowIfNotForWriting();
        using var turn = Begin(OperationKind.Write, offset, bytes.Length);
        ThrowIfLockedByOther(turn, offset, bytes.Length);
        // An NFS client sends the whole cached page, unless its machine holds a lock on a part of the file.
        if (disk.Kind == VolumeKind.Nfs && !Inode.Locks.Exists(each => each.Holder.Client == client)
            && client.Cache.PageAround(Inode, offset) is { } page)
        {
            disk.Arrive(client, Inode, page.Bytes, page.Offset);
        }

        var arriving = turn.Arriving(bytes.Length);
        // A full disk would show only at the flush, and which bytes fit would depend on what else arrives.
        if (disk is { Kind: VolumeKind.Fuse, Capacity: null })
        {
            client.HeldBack.Add(Inode, bytes[..arriving], offset);
            if (opening == FileOpening.WriteThrough)
            {
                client.HeldBack.Send(Inode);
                disk.Flush(Inode);
            }

            turn.ThrowIfFailed();
            return;
        }

        var fitting = disk.TakeRoom(Inode, offset, arriving);
        disk.Arrive(client, Inode, bytes[..fitting], offset);
        turn.ThrowIfFailed();
        if (fitting < arriving)
            throw turn.Error(FileError.DiskFull, "the simulated disk is full.");
    }

    public void Flush()
    {
        using var turn = Begin(OperationKind.Flush);
        DropIfFailing(turn);
        turn.ThrowIfFailed();
        client.HeldBack.Send(Inode);
        if (!turn.IsSkipped)
            disk.Flush(Inode);
    }

    /// <summary>Gives nothing to the device yet: a power cut already tries the case that bytes reach it early.</summary>
    public void BeginFlushRange()
    {
        using var scope = disk.EnterGate();
        disk.BeginFlushRange(Inode);
    }

    /// <summary>Has no lasting effect where the volume has no journal that keeps the order.</summary>
    public void FlushRange()
    {
        using var turn = Begin(OperationKind.FlushRange);
        DropIfFailing(turn);
        turn.ThrowIfFailed();
        if (!turn.IsSkipped)
            disk.FlushRange(Inode);
    }

    public void SetLength(long length)
    {
        ThrowIfNotForWriting();
        using var turn = Begin(OperationKind.SetLength, count: length);
        client.HeldBack.Send(Inode);
        if (length > Inode.Length)
        {
            var growth = (int)(length - Inode.Length);
            if (disk.Capacity is { } capacity && disk.UsedBytes + disk.RoomOf(length) - disk.RoomOf(Inode.Length) > capacity)
                throw turn.Error(FileError.DiskFull, "the simulated disk is full.");

            disk.TakeRoom(Inode, Inode.Length, growth);
        }
        else
        {
            disk.GiveBackRoom(Inode.Length, length);
        }

        Inode.SetLength(length);
        disk.Changed(Inode);
        client.Cache.NoteOwnLength(Inode, length);
    }

    public long GetLength()
    {
        using var turn = Begin(OperationKind.GetLength);
        return client.HeldBack.LengthOf(Inode, client.Cache.GetLength(Inode));
    }

    public bool IsUnlinked()
    {
        using var turn = Begin(OperationKind.IsUnlinked);
        return client.Cache.IsUnlinked(Inode);
    }

    public FileId GetId()
    {
        using var turn = Begin(OperationKind.GetId);
        return new FileId(0, Inode.Number);
    }

    public bool TryLock(long offset)
    {
        ThrowIfNotForWriting();
        using var turn = Begin(OperationKind.Lock, offset);
        if (IsTaken(offset))
            return false;

        if (!Inode.Locks.Contains((offset, this)))
            Inode.Locks.Add((offset, this));

        if (!disk.Volume.CachesIgnoreLocks)
            client.Cache.NoteLocked(Inode);

        return true;
    }

    public bool IsLocked(long offset)
    {
        using var turn = Begin(OperationKind.GetLock, offset);
        return IsTaken(offset);
    }

    public bool LocksStayHere() => disk.LocksStayHere;

    public void Unlock(long offset)
    {
        using var turn = Begin(OperationKind.Unlock, offset);
        Inode.Locks.Remove((offset, this));
    }

    public void Dispose()
    {
        client.BeforeClose?.Invoke(Path);
        using var scope = disk.EnterGate();
        if (!isDisposed)
        {
            isDisposed = true;
            if (!disk.IsOff && !client.IsKilled)
            {
                disk.Trace?.Add(new SimulatedOperation(client, OperationKind.Close, Path, 0, 0, null));
                client.Release(this);
            }
        }
    }

    /// <summary>
    /// Marks the connection as lost. An SMB client reopens the file by name at its next use; an NFS client identifies files in other ways.
    /// </summary>
    internal void LoseConnection()
    {
        FreeLocks();
        isLost = disk.Kind == VolumeKind.Smb;
    }

    internal void FreeLocks() => Inode.Locks.RemoveAll(each => each.Holder == this);

    private Turn Begin(OperationKind kind, long offset = 0, long count = 0)
    {
        ObjectDisposedException.ThrowIf(isDisposed, this);
        var turn = client.Begin(mount, kind, Path, offset, count);
        if (isLost && !client.TryReopen(this))
        {
            using (turn)
                throw turn.Error(FileError.HandleLost, "it could not be reopened.");
        }

        isLost = false;
        return turn;
    }

    private bool PassesCacheBy => !IsForWriting && disk.Volume.CachesIgnoreLocks;

    private void DropIfFailing(in Turn turn)
    {
        if (turn.DropsDirtyBytes)
        {
            client.HeldBack.Drop(Inode);
            disk.Drop(Inode);
        }
    }

    private bool IsTaken(long offset) =>
        Inode.Locks.Exists(other => other.Offset == offset && other.Holder != this && Reaches(other.Holder));

    private bool Reaches(SimulatedFile holder) => disk.LockReach switch
    {
        LockReach.Everyone => true,
        LockReach.OwnClient => holder.Client == client,
        _ => false,
    };

    /// <summary>On SMB, other handles cannot read or write what one handle has locked.</summary>
    private void ThrowIfLockedByOther(in Turn turn, long offset, long count)
    {
        if (disk.Kind == VolumeKind.Smb
            && Inode.Locks.Exists(other => other.Holder != this && other.Offset >= offset && other.Offset < offset + count))
        {
            throw turn.Error(FileError.AccessDenied, "another handle has locked it.");
        }
    }

    private void ThrowIfNotForWriting()
    {
        if (!IsForWriting)
            throw new InvalidOperationException($"{Path} is open for reading only.");
    }
}
