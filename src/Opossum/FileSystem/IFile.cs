namespace Opossum.FileSystem;

/// <summary>An open file. Several threads may read and write at offsets at the same time.</summary>
internal interface IFile : IDisposable
{
    /// <summary>Reads until the buffer is full or the file ends; returns the number of bytes.</summary>
    int Read(Span<byte> buffer, long offset);

    /// <summary>
    /// Asks the system to read bytes from the disk or the server in the background, because they will be read soon. Several ranges may be read
    /// at once. Does nothing where the system has no such call. Never fails while the file is open.
    /// </summary>
    void Prefetch(long offset, long length)
    {
    }

    /// <summary>Writes all the bytes.</summary>
    void Write(ReadOnlySpan<byte> bytes, long offset);

    /// <summary>Writes the content of a newly created file; closes the file if that fails.</summary>
    void WriteOrClose(ReadOnlySpan<byte> bytes)
    {
        try
        {
            Write(bytes, 0);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Makes the file's bytes durable, with its metadata (fsync).</summary>
    void Flush();

    /// <summary>
    /// Makes the file's bytes durable, and of its metadata only what is needed to find them (fdatasync): one flush of the device where bytes of a
    /// file are overwritten in place. The same as <see cref="Flush"/> where the system offers nothing less.
    /// </summary>
    void FlushBytes() => Flush();

    /// <summary>Starts sending the file's bytes to the device or the server without waiting; <see cref="FlushRange"/> waits.</summary>
    void BeginFlushRange();

    /// <summary>
    /// Waits until the file's bytes have reached the device or the server, which may still hold them in a volatile cache (sync_file_range). A
    /// full flush where the system offers nothing less.
    /// </summary>
    void FlushRange();

    /// <summary>Truncates the file, or extends it with zeros.</summary>
    void SetLength(long length);

    /// <summary>The length of the file. On a network file system it may be stale: continue reading from a known end instead.</summary>
    long GetLength();

    /// <summary>Whether no name leads to the file any more, because it was deleted or replaced.</summary>
    bool IsUnlinked();

    /// <summary>Both of the above, in one system call where there is one.</summary>
    FileState GetState() => new(IsUnlinked(), GetLength());

    /// <summary>The identity of the file: the same for all its handles, and different for every other file of this machine.</summary>
    FileId GetId();

    /// <summary>Locks one byte against every other handle in this process, other processes and other machines. False when it is taken.</summary>
    bool TryLock(long offset);

    /// <summary>
    /// Whether the handle's locks are known only to this machine, as far as the system shows. False also where the system does not show it.
    /// </summary>
    bool LocksStayHere() => false;

    /// <summary>Releases the byte.</summary>
    void Unlock(long offset);

    /// <summary>
    /// Whether another handle has the byte. Nobody is kept out by the question where the system answers it (Linux); elsewhere the byte is taken for
    /// a moment, also by a handle for reading.
    /// </summary>
    bool IsLocked(long offset)
    {
        if (!TryLock(offset))
            return true;
        Unlock(offset);
        return false;
    }

    /// <summary>Whether the byte is taken by a read lock, which this library never takes. False also where the system does not show it.</summary>
    bool IsLockedForReading(long offset) => false;
}
