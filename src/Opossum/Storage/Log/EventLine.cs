using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Opossum.Serialization;

namespace Opossum.Storage.Log;

/// <summary>Reads an event's line: its canonical text.</summary>
/// <remarks>
/// A checksum that fits proves that the members are where the store has written them. A line of another form, such as one with an escape in a tag, is
/// left to the reader of event files.
/// </remarks>
internal static class EventLine
{
    private const int ChecksumLength = 30; // ,"checksum":"crc32c:70c71a95"}

    private static readonly TagsReader readTags = ReadTags;

    /// <summary>The names of all stores of the process that were read lately: its size does not grow.</summary>
    public static EventNames Names { get; } = new();

    private static ReadOnlySpan<byte> MetadataStart => ",\"metadata\":{"u8;

    /// <summary>Reads the event; null when the line is not this position's, or is damaged.</summary>
    /// <param name="line">The line, without its line feed.</param>
    /// <param name="decoder">Decodes the event's data.</param>
    /// <param name="takesUnknown">Whether one unknown member may follow the metadata, as in a store with a higher minor format.</param>
    public static SequencedEvent? Read(ReadOnlySpan<byte> line, long position, IEventDecoder? decoder, bool takesUnknown)
    {
        if (!FitsChecksum(line))
            return null;
        if (!takesUnknown && ReadUsual(line, position, decoder) is { } usual)
            return usual;
        return EventFile.Read(line, position, out _, takesUnknown) is { } stored ? ToSequenced(stored, decoder) : null;
    }

    /// <summary>Reads the event with everything its event file holds; null when the line is not this position's, or is damaged.</summary>
    public static StoredEvent? ReadStored(ReadOnlySpan<byte> line, long position) =>
        FitsChecksum(line) ? EventFile.Read(line, position, out _, takesUnknown: true) : null;

    public static SequencedEvent ToSequenced(StoredEvent stored, IEventDecoder? decoder)
    {
        var content = stored.Content;
        var condition = stored.Condition?.ToText() ?? [];
        return new SequencedEvent(stored.Position, content.Type, content.Version, content.Tags, stored.TimestampTicks, content.Id,
            [.. condition, .. content.Metadata, .. content.Json], content.Metadata.Length, decoder, condition.Length);
    }

    /// <summary>The checksum of the event; null when the line is not this position's, or is damaged.</summary>
    public static uint? ChecksumOf(ReadOnlySpan<byte> line, long position) =>
        FitsChecksum(line) && IsOf(line, position) ? ChecksumTrailer.Stated(line) : null;

    /// <summary>The position that a line begins with; null when it begins with none.</summary>
    public static long? PositionOf(ReadOnlySpan<byte> line) =>
        TryTake(ref line, "{\"position\":"u8) && TryTakeNumber(ref line, out var stated) ? stated : null;

    /// <summary>
    /// The id and the time that a line states near its beginning; null when it states none there. No checksum is tested:
    /// the line may be cut off, and it may be damaged.
    /// </summary>
    /// <returns>The id, and the time of the append as ticks since the year 1.</returns>
    public static (Guid Id, long Ticks)? IdStatedBy(ReadOnlySpan<byte> line)
    {
        if (!TryTake(ref line, "{\"position\":"u8) || !TryTakeNumber(ref line, out _) || !TryTake(ref line, ",\"type\":\""u8)
            || !TryTakeText(ref line, out _))
        {
            return null;
        }
        if (TryTake(ref line, ",\"version\":"u8) && !TryTakeNumber(ref line, out _))
            return null;
        if (!TryTake(ref line, ",\"tags\":["u8) || !TryTakeTags(ref line, out _) || !TryTake(ref line, ",\"timestamp\":\""u8)
            || line.Length < FixedText.TimeLength || !FixedText.TryReadTime(line, out var ticks))
        {
            return null;
        }
        line = line[FixedText.TimeLength..];
        return TryTake(ref line, "\",\"id\":\""u8) && line.Length >= FixedText.IdLength
            && FixedText.TryReadId(line, out var id) ? (id, ticks) : null;
    }

    /// <summary>The event's id; null when the line is not this position's, or is damaged.</summary>
    public static Guid? IdOf(ReadOnlySpan<byte> line, long position) => Read(line, position, decoder: null, takesUnknown: true)?.Id;

    private static bool FitsChecksum(ReadOnlySpan<byte> line)
    {
        if (line.Length <= ChecksumLength)
            return false;
        var end = line[^ChecksumLength..];
        return end.StartsWith(",\"checksum\":\"crc32c:"u8) && end.EndsWith("\"}"u8) && FixedText.TryReadCrc(end[20..^2], out var stated)
            && stated == Crc32C.Of(line[..^ChecksumLength]);
    }

    private static bool IsOf(ReadOnlySpan<byte> line, long position) =>
        TryTake(ref line, "{\"position\":"u8) && TryTakeNumber(ref line, out var stated) && stated == position && line is [(byte)',', ..];

    // Null: it is of another form.
    private static SequencedEvent? ReadUsual(ReadOnlySpan<byte> line, long position, IEventDecoder? decoder)
    {
        var rest = line[..^ChecksumLength];
        if (!TryTake(ref rest, "{\"position\":"u8) || !TryTakeNumber(ref rest, out var stated) || stated != position
            || !TryTake(ref rest, ",\"type\":\""u8) || !TryTakeText(ref rest, out var type))
        {
            return null;
        }
        var version = 1L;
        if (TryTake(ref rest, ",\"version\":"u8) && (!TryTakeNumber(ref rest, out version) || version is < 1 or > int.MaxValue))
            return null;
        if (!TryTake(ref rest, ",\"tags\":["u8) || !TryTakeTags(ref rest, out var tags)
            || !TryTake(ref rest, ",\"timestamp\":\""u8) || rest.Length < FixedText.TimeLength || !FixedText.TryReadTime(rest, out var ticks))
        {
            return null;
        }
        rest = rest[FixedText.TimeLength..];
        if (!TryTake(ref rest, "\",\"id\":\""u8) || rest.Length < FixedText.IdLength || !FixedText.TryReadId(rest, out var id))
            return null;
        rest = rest[FixedText.IdLength..];
        if (!TryTake(ref rest, "\",\"commit\":{"u8))
            return null;
        var commit = rest.IndexOf((byte)'}');
        if (commit < 0)
            return null;
        rest = rest[(commit + 1)..];
        var condition = TakeCondition(ref rest);
        if (!TryTake(ref rest, ",\"data\":"u8))
            return null;
        var data = rest;
        var metadata = MetadataOf(data);
        if (metadata.Length > 0 && !JsonText.IsOfTexts(metadata))
            return null;
        if (metadata.Length > 0)
            data = data[..^(metadata.Length + MetadataStart.Length - 1)];
        var content = new byte[tags.Length + condition.Length + metadata.Length + data.Length];
        tags.CopyTo(content);
        condition.CopyTo(content.AsSpan(tags.Length));
        metadata.CopyTo(content.AsSpan(tags.Length + condition.Length));
        data.CopyTo(content.AsSpan(tags.Length + condition.Length + metadata.Length));
        return new SequencedEvent(position, Names.TypeOf(type), (int)version, readTags, ticks, id, content, tags.Length, condition.Length,
            metadata.Length, decoder);
    }

    // Within it a comma before a quote is followed by a type, a tag or "query" or "tags": in a text, a quote has an escape. So "data" ends it.
    private static ReadOnlySpan<byte> TakeCondition(ref ReadOnlySpan<byte> rest)
    {
        if (!TryTake(ref rest, ",\"condition\":"u8) || rest.IndexOf(",\"data\":"u8) is not (>= 0 and <= ushort.MaxValue and var end))
            return default;
        var condition = rest[..end];
        rest = rest[end..];
        return condition;
    }

    /// <summary>Cuts off what a text begins with; false when it begins with something else.</summary>
    /// <remarks>Inlined, it compares with a constant of few words.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryTake(ref ReadOnlySpan<byte> text, ReadOnlySpan<byte> expected)
    {
        if (!text.StartsWith(expected))
            return false;
        text = text[expected.Length..];
        return true;
    }

    /// <summary>Cuts off a number of at most ten digits; false when the text begins with no digit.</summary>
    public static bool TryTakeNumber(ref ReadOnlySpan<byte> text, out long number)
    {
        number = 0;
        var at = 0;
        for (; at < text.Length && at < 10 && text[at] is >= (byte)'0' and <= (byte)'9'; at++)
            number = 10 * number + text[at] - '0';
        text = text[at..];
        return at > 0;
    }

    // A text without escapes, with the quote that ends it.
    private static bool TryTakeText(ref ReadOnlySpan<byte> text, out ReadOnlySpan<byte> taken)
    {
        taken = default;
        var end = text.IndexOfAny((byte)'"', (byte)'\\');
        if (end < 1 || text[end] != '"')
            return false;
        taken = text[..end];
        text = text[(end + 1)..];
        return true;
    }

    // The texts as they are, from the first quote to the last, and the bracket that ends them.
    private static bool TryTakeTags(ref ReadOnlySpan<byte> text, out ReadOnlySpan<byte> tags)
    {
        if (text.Length >= 2 * Vector256<byte>.Count && TryTakeFewTags(ref text, out tags))
            return true;
        tags = default;
        var rest = text;
        var isFirst = true;
        while (!TryTake(ref rest, "]"u8))
        {
            if (!TryTake(ref rest, isFirst ? "\""u8 : ",\""u8) || !TryTakeText(ref rest, out var tag) || tag is [] or [(byte)':', ..])
                return false;
            isFirst = false;
        }
        tags = text[..(text.Length - rest.Length - 1)];
        text = rest;
        return true;
    }

    // The same when all are within 64 bytes, whose quotes and colons are found at once. False: they may be longer, or are not as expected.
    private static bool TryTakeFewTags(ref ReadOnlySpan<byte> text, out ReadOnlySpan<byte> tags)
    {
        var (quotes, colons) = (PlacesOf((byte)'"', text), PlacesOf((byte)':', text));
        tags = default;
        for (var start = 0; ; start++)
        {
            // The quote that begins a tag is at the start, and the places up to it are done.
            var after = ulong.MaxValue << start << 1;
            var (end, colon) = (BitOperations.TrailingZeroCount(quotes & after), BitOperations.TrailingZeroCount(colons & after));
            if ((quotes >> start & 1) == 0 || end >= 63 || end == start + 1 || colon == start + 1)
                return false;
            start = end + 1;
            if (text[start] == ',' && start < 62)
                continue;
            if (text[start] != ']' || text[..start].Contains((byte)'\\'))
                return false;
            tags = text[..start];
            text = text[(start + 1)..];
            return true;
        }
    }

    // A bit for each of the first 64 bytes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong PlacesOf(byte octet, ReadOnlySpan<byte> text)
    {
        ref var start = ref MemoryMarshal.GetReference(text);
        return Vector256.Equals(Vector256.LoadUnsafe(ref start), Vector256.Create(octet)).ExtractMostSignificantBits()
            | (ulong)Vector256.Equals(Vector256.LoadUnsafe(ref start, 32), Vector256.Create(octet)).ExtractMostSignificantBits() << 32;
    }

    // A member of the same name inside the data is followed by the braces that end the data. The values of the metadata are texts.
    private static ReadOnlySpan<byte> MetadataOf(ReadOnlySpan<byte> rest)
    {
        // Its last value is a text.
        var start = rest.EndsWith("\"}"u8) ? rest.LastIndexOf(MetadataStart) : -1;
        if (start < 0)
            return default;
        var metadata = rest[(start + MetadataStart.Length - 1)..];
        for (var at = 1; at < metadata.Length;)
        {
            var next = metadata[at..].IndexOfAny((byte)'"', (byte)'}');
            if (next < 0)
                return default;
            at += next;
            if (metadata[at] == '}')
                return at == metadata.Length - 1 ? metadata : default;
            at = CanonicalText.FindStringEnd(metadata, at);
        }
        return default;
    }

    // The texts were found to have no escapes when the line was read.
    private static Tag[] ReadTags(ReadOnlySpan<byte> texts)
    {
        if (texts.Length == 0)
            return [];
        var tags = new Tag[texts.Count((byte)'"') / 2];
        foreach (ref var tag in tags.AsSpan())
        {
            texts = texts[(texts.IndexOf((byte)'"') + 1)..];
            var end = texts.IndexOf((byte)'"');
            tag = Names.TagOf(texts[..end]);
            texts = texts[(end + 1)..];
        }
        return tags;
    }
}
