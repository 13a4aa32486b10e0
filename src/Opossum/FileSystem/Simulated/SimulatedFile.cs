namespace Opossum.FileSystem.Simulated;

/// <summary>A client's handle on a file of the simulated disk.</summary>
internal sealed class SimulatedFile(SimulatedFileSystem client, string path, FileInode inode, bool isForWriting) : IFile
{
    private readonly SimulatedDisk disk = client.Disk;
    private bool isDisposed;

    public SimulatedFileSystem Client => client;

    public FileInode Inode => inode;

    public bool IsForWriting => isForWriting;

    public int Read(Span<byte> buffer, long offset)
    {
        using var turn = Begin(OperationKind.Read, offset, buffer.Length);
        ThrowIfLockedByOther(turn, offset, buffer.Length);
        return client.Cache.Read(inode, buffer, offset);
    }

    public void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        ThrowIfNotForWriting();
        using var turn = Begin(OperationKind.Write, offset, bytes.Length);
        ThrowIfLockedByOther(turn, offset, bytes.Length);
        // An NFS client sends the whole page, as it knows it, unless its machine has locked a part of the file.
        if (disk.Kind == VolumeKind.Nfs && !inode.Locks.Exists(each => each.Holder.Client == client) && client.Cache.PageAround(inode, offset) is { } page)
        {
            WriteWhole(page.Bytes, page.Offset);
        }

        var arriving = turn.Arriving(bytes.Length);
        var fitting = disk.TakeRoom(inode, offset, arriving);
        WriteWhole(bytes[..fitting], offset);
        turn.ThrowIfFailed();
        if (fitting < arriving)
        {
            throw turn.Error(FileError.DiskFull, "the simulated disk is full.");
        }
    }

    public void Flush()
    {
        using var turn = Begin(OperationKind.Flush);
        DropIfFailing(turn);
        turn.ThrowIfFailed();
        disk.Flush(inode);
    }

    /// <summary>Does nothing: that bytes may reach the device before they are waited for is what a power cut tries anyway.</summary>
    public void BeginFlushRange()
    {
    }

    /// <summary>Does nothing that lasts where the volume has no journal that keeps the order.</summary>
    public void FlushRange()
    {
        using var turn = Begin(OperationKind.FlushRange);
        DropIfFailing(turn);
        turn.ThrowIfFailed();
        disk.FlushRange(inode);
    }

    public void SetLength(long length)
    {
        ThrowIfNotForWriting();
        using var turn = Begin(OperationKind.SetLength, count: length);
        if (length > inode.Length)
        {
            var growth = (int)(length - inode.Length);
            if (disk.Capacity is { } capacity && disk.UsedBytes + disk.RoomOf(length) - disk.RoomOf(inode.Length) > capacity)
            {
                throw turn.Error(FileError.DiskFull, "the simulated disk is full.");
            }

            disk.TakeRoom(inode, inode.Length, growth);
        }
        else
        {
            disk.GiveBackRoom(inode.Length, length);
        }

        inode.SetLength(length);
        disk.Changed(inode);
        client.Cache.NoteOwnLength(inode, length);
    }

    public long GetLength()
    {
        using var turn = Begin(OperationKind.GetLength);
        return client.Cache.GetLength(inode);
    }

    public bool IsUnlinked()
    {
        using var turn = Begin(OperationKind.IsUnlinked);
        return client.Cache.IsUnlinked(inode);
    }

    public bool TryLock(long offset)
    {
        ThrowIfNotForWriting();
        using var turn = Begin(OperationKind.Lock, offset);
        if (inode.Locks.Exists(other => other.Offset == offset && other.Holder != this && Reaches(other.Holder)))
        {
            return false;
        }

        if (!inode.Locks.Contains((offset, this)))
        {
            inode.Locks.Add((offset, this));
        }

        client.Cache.NoteLocked(inode);
        return true;
    }

    public void Unlock(long offset)
    {
        using var turn = Begin(OperationKind.Unlock, offset);
        inode.Locks.Remove((offset, this));
    }

    public void Dispose()
    {
        using var scope = disk.EnterGate();
        if (!isDisposed)
        {
            isDisposed = true;
            if (!disk.IsOff && !client.IsKilled)
            {
                disk.Trace?.Add(new SimulatedOperation(client, OperationKind.Close, path, 0, 0, null));
                client.Release(this);
            }
        }
    }

    internal void FreeLocks() => inode.Locks.RemoveAll(each => each.Holder == this);

    private Turn Begin(OperationKind kind, long offset = 0, long count = 0)
    {
        ObjectDisposedException.ThrowIf(isDisposed, this);
        return client.Begin(kind, path, offset, count);
    }

    private void WriteWhole(ReadOnlySpan<byte> bytes, long offset)
    {
        if (bytes.IsEmpty)
        {
            return;
        }

        var lengthBefore = inode.Length;
        inode.Write(bytes, offset);
        disk.Changed(inode);
        client.Cache.NoteOwnWrite(inode, bytes, offset);
        disk.NoteWrite(client, inode, (int)offset, (int)offset + bytes.Length, lengthBefore);
    }

    private void DropIfFailing(in Turn turn)
    {
        if (turn.DropsDirtyBytes)
        {
            disk.Drop(inode);
        }
    }

    private bool Reaches(SimulatedFile holder) => disk.LockReach switch
    {
        LockReach.Everyone => true,
        LockReach.OwnClient => holder.Client == client,
        _ => false,
    };

    /// <summary>On SMB what one handle has locked no other can read or write.</summary>
    private void ThrowIfLockedByOther(in Turn turn, long offset, long count)
    {
        if (disk.Kind == VolumeKind.Smb
            && inode.Locks.Exists(other => other.Holder != this && other.Offset >= offset && other.Offset < offset + count))
        {
            throw turn.Error(FileError.AccessDenied, "another handle has locked it.");
        }
    }

    private void ThrowIfNotForWriting()
    {
        if (!isForWriting)
        {
            throw new InvalidOperationException($"{path} is open for reading only.");
        }
    }
}
