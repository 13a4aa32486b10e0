using System.Buffers;

namespace Opossum.Storage.Ledger;

/// <summary>Finds whole groups in a journal file by themselves, whatever lies before them.</summary>
internal sealed class JournalSearch(JournalContent.Read read)
{
    private const int BufferLength = 1024 * 1024;

    // No group has so many bytes without text.
    private const int EmptyLength = 64 * 1024;

    /// <summary>The groups that begin at or after an offset: where each begins, what its closing line states, and its lines.</summary>
    public IEnumerable<(long Offset, JournalClosing Closing, byte[] Text)> FindGroups(long from)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(BufferLength);
        try
        {
            // Where the bytes begin that a group could have, and the line that is read next, and where the bytes end.
            var (text, start, line, length) = (buffer, 0, 0, 0);
            for (var isOver = false; !isOver || line < length;)
            {
                var blanks = text.AsSpan(line, length - line).IndexOfAnyExcept(JournalText.Blank);
                line = blanks < 0 ? length : line + blanks;
                var end = Array.IndexOf(text, JournalText.Blank, line, length - line);
                if (end < 0 && !isOver)
                {
                    Forget(text, ref start, ref line, length);
                    Move(ref text, ref start, ref line, ref length, ref from);
                    var got = read(text.AsSpan(length), from + length);
                    isOver = got == 0;
                    length += got;
                    continue;
                }
                if (end < 0)
                    end = length;
                if (line < end && JournalText.TryReadClosing(text.AsSpan(start, end - start), line - start, out var closing, out _))
                    yield return (from + line - closing.Bytes, closing, text[(line - closing.Bytes)..line]);
                line = end + 1;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>
    /// The first group that begins at or after an offset and has events without event files: where it begins, and what its closing line states. Null:
    /// there is none.
    /// </summary>
    public (long Offset, JournalClosing Closing)? FindUnwritten(long from, JournalledEventFiles eventFiles)
    {
        foreach (var (offset, closing, text) in FindGroups(from))
        {
            var position = closing.First;
            if (!LinesOf(text).All(line => eventFiles.IsWritten(position++, line.Span)))
                return (offset, closing);
        }
        return null;
    }

    /// <summary>The lines of a group.</summary>
    public static IEnumerable<ReadOnlyMemory<byte>> LinesOf(byte[] group)
    {
        for (var at = 0; at < group.Length;)
        {
            var length = Array.IndexOf(group, JournalText.Blank, at) - at;
            yield return group.AsMemory(at, length);
            at += length + 1;
        }
    }

    // What fills a file up is in no group, and a group has no more than so many bytes.
    private static void Forget(byte[] text, ref int start, ref int line, int length)
    {
        if (length - start >= EmptyLength && !text.AsSpan(length - EmptyLength, EmptyLength).ContainsAnyExcept((byte)0, JournalText.Blank))
            start = line = length;
        start = Math.Max(start, length - JournalText.GroupLengthMax);
        line = Math.Max(line, start);
    }

    // Leaves out the bytes that no group can have, and makes room for more.
    private static void Move(ref byte[] text, ref int start, ref int line, ref int length, ref long from)
    {
        text.AsSpan(start, length - start).CopyTo(text);
        (from, line, length, start) = (from + start, line - start, length - start, 0);
        if (length > text.Length / 2)
            Array.Resize(ref text, 2 * text.Length);
    }
}
