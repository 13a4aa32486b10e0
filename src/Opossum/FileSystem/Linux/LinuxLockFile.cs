namespace Opossum.FileSystem.Linux;

/// <summary>A file that is locked and written through one handle and read through another.</summary>
/// <remarks>
/// Linux's SMB client shares one readable handle among processes that open a file in the same way. If one of them cannot unlock because
/// the connection broke, the byte stays locked for all until the last one closes the handle; see docs/decisions/0013.
/// </remarks>
internal sealed class LinuxLockFile(LinuxFile writing, IFile reading) : IFile
{
    public int Read(Span<byte> buffer, long offset) => reading.Read(buffer, offset);

    public void Write(ReadOnlySpan<byte> bytes, long offset) => writing.Write(bytes, offset);

    public void Flush() => writing.Flush();

    public void BeginFlushRange() => writing.BeginFlushRange();

    public void FlushRange() => writing.FlushRange();

    public void SetLength(long length) => writing.SetLength(length);

    public long GetLength() => reading.GetLength();

    public bool IsUnlinked() => reading.IsUnlinked();

    public FileState GetState() => reading.GetState();

    public FileId GetId() => writing.GetId();

    public bool TryLock(long offset) => writing.TryLock(offset);

    public bool LocksStayHere() => writing.LocksStayHere();

    public void Unlock(long offset) => writing.Unlock(offset);

    public bool IsLocked(long offset) => writing.IsLocked(offset);

    public bool IsLockedForReading(long offset) => writing.IsLockedForReading(offset);

    public void Dispose()
    {
        writing.Dispose();
        reading.Dispose();
    }
}
