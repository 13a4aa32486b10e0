using System.Buffers;
using Opossum.Serialization;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>
/// The events of a group on a network file system, all in the file of its first event until the others have files: the text of a journal file
/// with one group. No part of it is an event file, so a file that is still being written passes for none.
/// </summary>
internal sealed class EventGroup
{
    /// <summary>A group of more events gets an event file for each at once.</summary>
    public const int EventsMax = 1_000;

    private readonly byte[] text;
    private readonly List<(int Start, int Length)> lines;

    private EventGroup(long first, byte[] text, List<(int Start, int Length)> lines, uint checksum)
    {
        First = first;
        Checksum = checksum;
        this.text = text;
        this.lines = lines;
    }

    public long First { get; }

    public long Last => First + lines.Count - 1;

    /// <summary>The checksum of the whole group.</summary>
    public uint Checksum { get; }

    /// <summary>The canonical text of a position's event.</summary>
    public ReadOnlySpan<byte> LineOf(long position)
    {
        var (start, length) = lines[(int)(position - First)];
        return text.AsSpan(start, length);
    }

    public IEnumerable<long> Positions() => Enumerable.Range(0, lines.Count).Select(at => First + at);

    public bool Has(long position) => position >= First && position <= Last;

    /// <summary>Appends the text of a group to an empty buffer.</summary>
    /// <param name="buffer">The buffer.</param>
    /// <param name="lines">The lines of the events.</param>
    /// <param name="first">The position of the first one.</param>
    /// <param name="store">The store's id.</param>
    public static void Write(ArrayBufferWriter<byte> buffer, EventLines lines, long first, Guid store)
    {
        var use = Guid.NewGuid();
        var header = JournalText.Header(store, use);
        buffer.Write(header);
        buffer.Write(lines.Written);
        JournalText.Close(buffer, new JournalClosing(first, first + lines.Count - 1, lines.Length, use, Crc32C.Of(header)));
    }

    /// <summary>Whether the bytes of an event file begin as those of a group do.</summary>
    public static bool IsBegun(ReadOnlySpan<byte> file) => JournalText.IsHeader(file);

    /// <summary>Whether the bytes of a file that begins as a group does are there to their end: then no crash explains what is wrong.</summary>
    public static bool IsEnded(ReadOnlySpan<byte> file)
    {
        if (file is not [.. var rest, (byte)'}', JournalText.Blank] || file.Contains((byte)0))
            return false;
        return JournalText.IsClosing(rest[(rest.LastIndexOf(JournalText.Blank) + 1)..]);
    }

    /// <summary>Reads a group; null when the bytes are none, or not all of one.</summary>
    public static EventGroup? TryRead(byte[] file)
    {
        if (!IsBegun(file) || !JournalText.TryReadHeader(file, out _, out var use))
            return null;
        var lines = new List<(int Start, int Length)>();
        for (var at = JournalText.HeaderLength; ;)
        {
            var length = file.AsSpan(at).IndexOf(JournalText.Blank);
            if (length < 0)
                return null;
            if (JournalText.IsEvent(file.AsSpan(at, length)))
            {
                lines.Add((at, length));
                at += length + 1;
                continue;
            }
            var isGroup = JournalText.TryReadClosing(file.AsSpan(0, at + length), at, out var closing, out var checksum)
                && closing.Use == use && closing.Bytes == at - JournalText.HeaderLength
                && closing.Previous == Crc32C.Of(file.AsSpan(0, JournalText.HeaderLength))
                && closing.Last - closing.First + 1 == lines.Count && at + length + 1 == file.Length;
            return isGroup ? new EventGroup(closing.First, file, lines, checksum) : null;
        }
    }
}
