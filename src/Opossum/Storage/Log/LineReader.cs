using Opossum.Serialization;

namespace Opossum.Storage.Log;

/// <summary>Reads a text line by line, in bytes, holding one line in memory.</summary>
/// <param name="read">Reads bytes from an offset, which rises by those that were read; returns 0 at the end.</param>
/// <param name="bufferLength">The number of bytes to read at once.</param>
/// <param name="skipsMark">Whether a byte order mark at the beginning is left out.</param>
/// <param name="refuse">Throws for a line of that number that is longer than an event file may be. Null: such a line is read.</param>
internal sealed class LineReader(LineReader.Source read, int bufferLength, bool skipsMark = false, Action<long>? refuse = null)
{
    // The longest event file.
    private const int LengthMax = 1 << 30;

    private byte[] buffer = new byte[bufferLength];
    private int start;
    private int end;
    private bool isOver;

    public delegate int Source(Span<byte> buffer, long offset);

    /// <summary>The number of the line that was read last, from 1.</summary>
    public long Number { get; private set; }

    /// <summary>The number of bytes of all lines read so far.</summary>
    public long Bytes { get; private set; }

    /// <summary>The offset of the line that was read last.</summary>
    public long Offset { get; private set; }

    /// <summary>Reads the next line, without its end. It is valid until the next call. False: the text has ended.</summary>
    public bool TryRead(out ReadOnlySpan<byte> line)
    {
        var searched = 0;
        while (!isOver)
        {
            var at = buffer.AsSpan(start + searched, end - start - searched).IndexOf(EventLines.LineEnd);
            if (at >= 0)
                return Take(searched + at, isEnded: true, out line);
            searched = end - start;
            if (Fill())
                continue;
            isOver = true;
            if (searched > 0)
                return Take(searched, isEnded: false, out line);
        }
        line = default;
        return false;
    }

    private bool Take(int length, bool isEnded, out ReadOnlySpan<byte> line)
    {
        line = buffer.AsSpan(start, length);
        if (Number++ == 0 && skipsMark)
            line = CanonicalText.WithoutByteOrderMark(line);
        start += length + (isEnded ? 1 : 0);
        Offset = Bytes;
        Bytes += length + 1;
        return true;
    }

    private bool Fill()
    {
        if (start > 0)
        {
            buffer.AsSpan(start, end - start).CopyTo(buffer);
            end -= start;
            start = 0;
        }
        if (end == buffer.Length)
        {
            if (end >= LengthMax)
                refuse?.Invoke(Number + 1);
            Array.Resize(ref buffer, (int)Math.Min(buffer.Length * 2L, Array.MaxLength));
        }
        var count = read(buffer.AsSpan(end), Bytes - start + end);
        end += count;
        return count > 0;
    }
}
