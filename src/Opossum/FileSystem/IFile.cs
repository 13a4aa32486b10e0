namespace Opossum.FileSystem;

/// <summary>An open file. Reads and writes at offsets may go on from several threads.</summary>
internal interface IFile : IDisposable
{
    /// <summary>Reads into the whole buffer, or to the end of the file; returns how many bytes.</summary>
    int Read(Span<byte> buffer, long offset);

    /// <summary>Writes all the bytes.</summary>
    void Write(ReadOnlySpan<byte> bytes, long offset);

    /// <summary>Writes what a file that was just created is to hold; closes it when that fails.</summary>
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

    /// <summary>Makes the file's bytes durable, with what it takes to find them (fsync).</summary>
    void Flush();

    /// <summary>Begins to send the file's bytes to the device or the server, without waiting; <see cref="FlushRange"/> waits.</summary>
    void BeginFlushRange();

    /// <summary>
    /// Waits until the file's bytes are with the device or the server, which may still hold them in a volatile cache (sync_file_range). A
    /// flush where the system knows nothing less.
    /// </summary>
    void FlushRange();

    /// <summary>Cuts the file, or lengthens it by zeros.</summary>
    void SetLength(long length);

    /// <summary>How long the file is. On a network file system it may be stale: read on from a known end instead.</summary>
    long GetLength();

    /// <summary>Whether no name leads to the file any more: somebody deleted or replaced it.</summary>
    bool IsUnlinked();

    /// <summary>Both of the last two at once, in one system call where there is one.</summary>
    FileState GetState() => new(IsUnlinked(), GetLength());

    /// <summary>Which file it is: the same for every handle of it, and another for every other file of this machine.</summary>
    FileId GetId();

    /// <summary>Locks one byte against every other handle, in this process, others, and on other machines. False: it is taken.</summary>
    bool TryLock(long offset);

    /// <summary>
    /// Whether this machine alone knows of what the handle has locked, as far as that can be seen. False also where the system does not say.
    /// </summary>
    bool LocksStayHere() => false;

    /// <summary>Frees the byte.</summary>
    void Unlock(long offset);

    /// <summary>Whether the byte is taken by a lock for reading alone, which nothing of this library takes. False also where that cannot be told.</summary>
    bool IsLockedForReading(long offset) => false;
}
