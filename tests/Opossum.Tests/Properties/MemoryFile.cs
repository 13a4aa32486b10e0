using Opossum.FileSystem;

namespace Opossum.Tests.Properties;

/// <summary>Bytes that are read as a file.</summary>
internal sealed class MemoryFile(byte[] bytes) : IFile
{
    public long Length => bytes.Length;

    public int Read(Span<byte> buffer, long offset)
    {
        var rest = bytes.AsSpan((int)Math.Min(offset, bytes.Length));
        var count = Math.Min(rest.Length, buffer.Length);
        rest[..count].CopyTo(buffer);
        return count;
    }

    public void Write(ReadOnlySpan<byte> bytes, long offset) => throw new NotSupportedException();

    public void Flush() => throw new NotSupportedException();

    public void BeginFlushRange() => throw new NotSupportedException();

    public void FlushRange() => throw new NotSupportedException();

    public void SetLength(long length) => throw new NotSupportedException();

    public long GetLength() => bytes.Length;

    public bool IsUnlinked() => false;

    public FileId GetId() => throw new NotSupportedException();

    public bool TryLock(long offset) => throw new NotSupportedException();

    public void Unlock(long offset) => throw new NotSupportedException();

    public void Dispose()
    {
    }
}
