using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>One commit in the index file: its names, and each event's type, tags and line length. Read into reused buffers.</summary>
/// <remarks>
/// Length of the payload and its checksum, 4 bytes each, then the payload: first position, number of events, number of types and the
/// text of each, number of tags and the text of each; for each event: type number, number of tags, tag numbers, length of its
/// line. All numbers are varints; a text is its length and its UTF-8 bytes. Types and tags are numbered within the frame.
/// A store with a million commits replays a million frames when it is opened, so the replay is fully optimised from the first call.
/// </remarks>
internal sealed class IndexFrame
{
    public const int HeaderLength = 8;

    private const int VarintLengthMax = 5;

    private byte[] buffer = [];
    private NameRange[] names = new NameRange[8];
    private Entry[] events = new Entry[8];
    private int[] tagNumbers = new int[32];
    private int typeCount;
    private int tagCount;
    private int eventCount;
    private int tagNumberCount;

    /// <summary>The place of a new name in the buffer.</summary>
    internal readonly record struct NameRange(int Start, int Length);

    /// <summary>An event's type, its number of tags, and the length of its line.</summary>
    internal readonly record struct Entry(int Type, int TagCount, int LineLength);

    public uint Checksum { get; private set; }

    public ReadOnlySpan<NameRange> Types => names.AsSpan(0, typeCount);

    public ReadOnlySpan<NameRange> Tags => names.AsSpan(typeCount, tagCount);

    public ReadOnlySpan<Entry> Events => events.AsSpan(0, eventCount);

    public ReadOnlySpan<int> TagNumbers => tagNumbers.AsSpan(0, tagNumberCount);

    public ReadOnlySpan<byte> Text(NameRange name) => buffer.AsSpan(name.Start, name.Length);

    /// <summary>Refuses an append whose frame would be longer than readers accept.</summary>
    /// <exception cref="ArgumentException">The frame has too many names, or too many numbers that refer to them.</exception>
    public static void ThrowIfTooLong(PreparedEvent[] events)
    {
        if (RoughLength(events) <= StoreLayout.FrameBytesMax)
            return;
        // Only now is it worth the time to count each name only once, as the frame does.
        var names =
            new HashSet<string>(events.SelectMany(static e => e.Tags.Select(static tag => tag.ToString()).Append(e.Type)), StringComparer.Ordinal);
        var length = names.Sum(static name => (long)VarintLengthMax + Encoding.UTF8.GetByteCount(name)) + events.Sum(static e => NumbersLengthMax(e));
        if (length > StoreLayout.FrameBytesMax)
        {
            throw new ArgumentException(string.Create(CultureInfo.InvariantCulture,
                $"The types and tags of the events take {length:N0} bytes in the index; at most {StoreLayout.FrameBytesMax:N0} are allowed in one "
                + $"append. Append fewer events at a time."), nameof(events));
        }
    }

    /// <summary>Reads the frame that fills the bytes from start to end; false when it is invalid or does not follow the index.</summary>
    /// <param name="start">The offset of the frame.</param>
    /// <param name="end">The offset of its end.</param>
    /// <param name="head">The last position before the frame.</param>
    [MethodImpl(FirstCall.Optimized)]
    public bool TryRead(byte[] bytes, int start, int end, int head, uint chain)
    {
        Checksum = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(start + sizeof(uint)));
        if (Checksum != ChecksumOf(chain, bytes.AsSpan(start + HeaderLength, end - start - HeaderLength)))
            return false;
        buffer = bytes;
        var reader = new VarintReader(bytes.AsSpan(0, end), start + HeaderLength);
        return reader.TryRead(out var first) && first == head + 1
            && reader.TryRead(out eventCount) && eventCount > 0 && eventCount <= reader.Remaining
            && TryReadNames(ref reader, 0, out typeCount)
            && TryReadNames(ref reader, typeCount, out tagCount) && AreTags(Tags)
            && TryReadEvents(ref reader)
            && reader.Remaining == 0;
    }

    /// <summary>The checksum of a frame: the CRC-32C of the checksum before it, 4 bytes, and its payload.</summary>
    /// <remarks>So the checksum of one frame stands for all frames up to it, and a frame fits in one place only.</remarks>
    [MethodImpl(FirstCall.Optimized)]
    public static uint ChecksumOf(uint chain, ReadOnlySpan<byte> payload)
    {
        Span<byte> before = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32LittleEndian(before, chain);
        return Crc32C.End(Crc32C.Add(Crc32C.Add(Crc32C.Begin, before), payload));
    }

    /// <summary>The bytes of the key in the text of a tag, all where it has no value; less than 1 when it is none that a tag can have.</summary>
    [MethodImpl(FirstCall.Optimized)]
    public static int KeyLength(ReadOnlySpan<byte> tag)
    {
        var colon = tag.IndexOf((byte)':');
        var length = colon < 0 ? tag.Length : colon;
        return length <= Tag.MaxKeyLength || Encoding.UTF8.GetCharCount(tag[..length]) <= Tag.MaxKeyLength ? length : -1;
    }

    private static long RoughLength(PreparedEvent[] events)
    {
        const int utf8LengthMax = 3;
        var length = 0L;
        foreach (var e in events)
        {
            length += NumbersLengthMax(e) + VarintLengthMax + utf8LengthMax * e.Type.Length;
            foreach (var tag in e.Tags)
                length += VarintLengthMax + utf8LengthMax * (tag.Key.Length + 1 + tag.Value.Length);
        }
        return length;
    }

    // Type, number of tags, the tags, and the length of the line.
    private static long NumbersLengthMax(PreparedEvent e) => VarintLengthMax * (3L + e.Tags.Length);

    [MethodImpl(FirstCall.Optimized)]
    private bool TryReadNames(ref VarintReader reader, int known, out int count)
    {
        if (!reader.TryRead(out count) || count > reader.Remaining)
            return false;
        if (names.Length < known + count)
            Array.Resize(ref names, Math.Max(known + count, names.Length * 2));
        for (var at = known; at < known + count; at++)
        {
            if (!reader.TryRead(out var length))
                return false;
            names[at] = new NameRange(reader.Place, length);
            if (!reader.TrySkip(length))
                return false;
        }
        return true;
    }

    [MethodImpl(FirstCall.Optimized)]
    private bool TryReadEvents(ref VarintReader reader)
    {
        if (events.Length < eventCount)
            events = new Entry[Math.Max(eventCount, events.Length * 2)];
        tagNumberCount = 0;
        for (var at = 0; at < eventCount; at++)
        {
            if (!reader.TryRead(out var type) || type >= typeCount || !reader.TryRead(out var count) || count > reader.Remaining)
                return false;
            if (tagNumbers.Length < tagNumberCount + count)
                Array.Resize(ref tagNumbers, Math.Max(tagNumberCount + count, tagNumbers.Length * 2));
            for (var end = tagNumberCount + count; tagNumberCount < end; tagNumberCount++)
            {
                if (!reader.TryRead(out tagNumbers[tagNumberCount]) || tagNumbers[tagNumberCount] >= tagCount)
                    return false;
            }
            if (!reader.TryRead(out var lineLength) || lineLength > StoreLayout.LineBytesMax)
                return false;
            events[at] = new Entry(type, count, lineLength);
        }
        return true;
    }

    private bool AreTags(ReadOnlySpan<NameRange> tags)
    {
        foreach (var tag in tags)
        {
            if (KeyLength(Text(tag)) < 1)
                return false;
        }
        return true;
    }
}
