using System.Runtime.InteropServices;

namespace Opossum.FileSystem;

/// <summary>A file opened with O_DIRECT. The kernel wants memory, offset and length in whole blocks.</summary>
/// <param name="file">The open file.</param>
/// <param name="otherwise">What reads where the file system took the flag and allows no such read.</param>
internal sealed unsafe class LinuxDirectFile(LinuxFile file, IUncachedFile otherwise) : IUncachedFile
{
    private const int Alignment = 4096;
    private const int BufferMax = 256 * 1024;

    public int Read(Span<byte> buffer, long offset) => TryRead(buffer, offset) ?? otherwise.Read(buffer, offset);

    public void Dispose()
    {
        file.Dispose();
        otherwise.Dispose();
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
                    throw ErrorNumber.Failure("read", file.Path);
                if (count <= skip)
                    break;
                var piece = new ReadOnlySpan<byte>(memory + skip, Math.Min(count - skip, buffer.Length - done));
                piece.CopyTo(buffer[done..]);
                done += piece.Length;
                // Less than a whole block comes only from the end of the file.
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
