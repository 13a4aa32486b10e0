namespace Opossum.Storage.Ledger;

/// <summary>Finds whole groups in a journal file by themselves, whatever lies before them.</summary>
internal sealed class JournalSearch(JournalContent.Read read)
{
    private const int BufferLength = 1024 * 1024;

    /// <summary>The groups that begin at or after an offset: where each begins, what its closing line states, and its lines.</summary>
    public IEnumerable<(long Offset, JournalClosing Closing, byte[] Text)> FindGroups(long from)
    {
        var text = ReadRest(from);
        for (var at = 0; at < text.Length;)
        {
            var length = text.AsSpan(at).IndexOf(JournalText.Blank);
            var end = length < 0 ? text.Length : at + length;
            if (JournalText.IsClosing(text.AsSpan(at, end - at)) && JournalText.TryReadClosing(text.AsSpan(0, end), at, out var closing, out _))
                yield return (from + at - closing.Bytes, closing, text[(at - closing.Bytes)..at]);
            at = end + 1;
        }
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

    // Without the line feeds that fill the file.
    private byte[] ReadRest(long from)
    {
        var (rest, buffer, length) = (new MemoryStream(), new byte[BufferLength], 0L);
        for (var at = from; read(buffer, at) is var got and > 0; at += got)
        {
            rest.Write(buffer, 0, got);
            if (buffer.AsSpan(0, got).ContainsAnyExcept(JournalText.Blank))
                length = rest.Length;
        }
        rest.SetLength(length);
        return rest.ToArray();
    }
}
