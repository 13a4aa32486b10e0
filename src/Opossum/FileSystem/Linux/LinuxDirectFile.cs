using System.Runtime.InteropServices;
using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>A file opened with O_DIRECT for reading. The kernel requires memory, offset and length in whole blocks.</summary>
/// <param name="reopen">Opens it again by name.</param>
/// <param name="otherwise">The fallback for a file system that accepts the flag but refuses such a read.</param>
internal sealed unsafe class LinuxDirectFile(LinuxFile file, Func<LinuxFile?> reopen, IUncachedFile otherwise) : IFile, IUncachedFile
{
    private const int Alignment = 4096;
    private const int BufferMax = 256 * 1024;
    private const int ReopeningsMax = 11;

    private bool wasRead;

    public int Read(Span<byte> buffer, long offset)
    {
        var count = wasRead ? TryRead(buffer, offset) : ReadAtFirst(buffer, offset);
        return count ?? otherwise.Read(buffer, offset);
    }

    public void Write(ReadOnlySpan<byte> bytes, long offset) => file.Write(bytes, offset);

    public void Flush() => file.Flush();

    public void BeginFlushRange() => file.BeginFlushRange();

    public void FlushRange() => file.FlushRange();

    public void SetLength(long length) => file.SetLength(length);

    public long GetLength() => file.GetLength();

    public bool IsUnlinked() => file.IsUnlinked();

    public FileState GetState() => file.GetState();

    public FileId GetId() => file.GetId();

    public bool TryLock(long offset) => file.TryLock(offset);

    public void Unlock(long offset) => file.Unlock(offset);

    public bool IsLocked(long offset) => file.IsLocked(offset);

    public void Dispose()
    {
        file.Dispose();
        otherwise.Dispose();
    }

    // GlusterFS opens a file at its first read, when the name may already lead to another file.
    private int? ReadAtFirst(Span<byte> buffer, long offset)
    {
        for (var reopenings = 0; ; reopenings++)
        {
            try
            {
                var count = TryRead(buffer, offset);
                wasRead = true;
                return count;
            }
            catch (FileSystemException e) when (e.Error == FileError.HandleLost && reopenings < ReopeningsMax && reopen() is { } again)
            {
                file.Dispose();
                file = again;
                LinuxFileSystem.Sleep(TimeSpan.FromMilliseconds(1 << reopenings));
            }
        }
    }

    // Null: EINVAL.
    private int? TryRead(Span<byte> buffer, long offset)
    {
        var skip = (int)(offset % Alignment);
        var size = (int)Math.Min(BufferMax, ((long)skip + buffer.Length + Alignment - 1) / Alignment * Alignment);
        var at = offset - skip;
        var memory = (byte*)NativeMemory.AlignedAlloc((nuint)size, Alignment);
        try
        {
            var done = 0;
            while (done < buffer.Length)
            {
                var count = (int)LibC.Read(file, memory, size, at);
                if (count < 0 && ErrorNumber.WasInterrupted)
                    continue;
                if (count < 0 && ErrorNumber.Last == ErrorNumber.Invalid)
                    return null;
                if (count < 0)
                    throw ErrorNumber.HandleFailure("read", file.Path);
                if (count <= skip)
                    break;
                var piece = new ReadOnlySpan<byte>(memory + skip, Math.Min(count - skip, buffer.Length - done));
                piece.CopyTo(buffer[done..]);
                done += piece.Length;
                // Only a read at the end of the file returns less than a whole block.
                if (count % Alignment != 0)
                    break;
                at += count;
                skip = 0;
            }
            return done;
        }
        finally
        {
            NativeMemory.AlignedFree(memory);
        }
    }
}
