using Opossum.Serialization;

namespace Opossum.Storage.Transfer;

/// <summary>Reads a stream line by line, in bytes, holding one line in memory.</summary>
internal sealed class LineReader(Stream input)
{
    // The longest event file.
    private const int LengthMax = 1 << 30;

    private byte[] buffer = new byte[64 * 1024];
    private int start;
    private int end;

    /// <summary>The number of the line that was read last, from 1.</summary>
    public long Number { get; private set; }

    /// <summary>The number of bytes of all lines read so far.</summary>
    public long Bytes { get; private set; }

    /// <summary>Reads the next line, without its end. It is valid until the next call. False: the stream has ended.</summary>
    /// <exception cref="StoreMaintenanceException">The line is longer than any event.</exception>
    public bool TryRead(out ReadOnlySpan<byte> line)
    {
        var searched = 0;
        while (true)
        {
            var at = buffer.AsSpan(start + searched, end - start - searched).IndexOf((byte)'\n');
            if (at >= 0)
                return Take(searched + at, isEnded: true, out line);
            searched = end - start;
            if (Fill())
                continue;
            if (searched > 0)
                return Take(searched, isEnded: false, out line);
            line = default;
            return false;
        }
    }

    private bool Take(int length, bool isEnded, out ReadOnlySpan<byte> line)
    {
        line = buffer.AsSpan(start, length);
        if (Number++ == 0)
            line = CanonicalText.WithoutByteOrderMark(line);
        start += length + (isEnded ? 1 : 0);
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
            {
                throw new StoreMaintenanceException(path: null, $"Line {Number + 1} is longer than any event; nothing of it was stored.")
                {
                    Line = Number + 1,
                };
            }
            Array.Resize(ref buffer, Math.Min(buffer.Length * 2, LengthMax));
        }
        var read = input.Read(buffer, end, buffer.Length - end);
        end += read;
        return read > 0;
    }
}
