using Opossum.FileSystem;

namespace Opossum.Storage.Index;

/// <summary>Reads the frames of the index file one after the other, from an offset on.</summary>
/// <param name="offset">The offset at which to begin.</param>
internal sealed class FrameReader(IFile file, long offset)
{
    private readonly IndexFrame frame = new();
    private byte[] buffer = new byte[256 * 1024];
    private int start;
    private int length;

    /// <summary>The offset at which the next frame begins.</summary>
    public long Offset { get; private set; } = offset;

    /// <summary>Adds the next frame to the tail; false when no whole, valid frame follows before the end.</summary>
    /// <param name="tail">The tail, whose last frame is the one before.</param>
    /// <param name="end">The offset at which to stop.</param>
    public bool TryAdd(IndexTail tail, long end)
    {
        if (!TryHave(IndexFrame.HeaderLength, end))
            return false;
        var stated = BitConverter.ToUInt32(buffer, start);
        if (stated == 0 || stated > StoreLayout.FrameBytesMax - IndexFrame.HeaderLength || !TryHave(IndexFrame.HeaderLength + (int)stated, end))
            return false;
        var frameEnd = start + IndexFrame.HeaderLength + (int)stated;
        if (!frame.TryRead(buffer, start, frameEnd, tail.Head, tail.Chain))
            return false;
        tail.Add(frame);
        Offset += frameEnd - start;
        start = frameEnd;
        return true;
    }

    private bool TryHave(int count, long end)
    {
        if (length - start >= count)
            return Offset + count <= end;
        if (Offset + count > end)
            return false;
        buffer.AsSpan(start, length - start).CopyTo(buffer);
        length -= start;
        start = 0;
        while (true)
        {
            length += file.Read(buffer.AsSpan(length), Offset + length);
            if (length >= count || length < buffer.Length)
                return length >= count;
            // As far as there are bytes: the length may be damaged.
            Array.Resize(ref buffer, (int)Math.Min(count, 2L * buffer.Length));
        }
    }
}
