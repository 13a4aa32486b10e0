using System.Buffers.Text;
using Opossum.Serialization;
using Opossum.Storage.Index;

namespace Opossum.Storage.Reading;

/// <summary>
/// Reads an event of the canonical text that a store has written: its checksum proves that the members are where they belong. Text of another form,
/// such as a tag with an escape, is left to the reader of event files.
/// </summary>
internal static class SealedLine
{
    private const int ChecksumLength = 30; // ,"checksum":"crc32c:70c71a95"}
    private const int TimestampLength = 28; // 2026-11-21T10:15:30.1234567Z
    private const int IdLength = 36;

    private static readonly TagsReader readTags = ReadTags;

    private static ReadOnlySpan<byte> MetadataStart => ",\"metadata\":{"u8;

    /// <summary>Reads the event; null when the line is not this position's, is damaged, or has another form.</summary>
    public static SequencedEvent? Read(ReadOnlySpan<byte> line, long position, IEventDecoder decoder)
    {
        if (line.Length <= ChecksumLength || !FitsChecksum(line))
            return null;
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
            || !TryTake(ref rest, ",\"timestamp\":\""u8) || !TryTakeTimestamp(ref rest, out var ticks)
            || !TryTake(ref rest, "\",\"id\":\""u8) || !TryTakeId(ref rest, out var id) || !TryTake(ref rest, "\",\"commit\":{"u8))
        {
            return null;
        }
        var commit = rest.IndexOf((byte)'}');
        if (commit < 0 || !rest[commit..].StartsWith("},\"data\":"u8))
            return null;
        var data = rest[(commit + 9)..];
        var metadata = MetadataOf(data);
        if (metadata.Length > 0)
            data = data[..^(metadata.Length + MetadataStart.Length - 1)];
        var content = new byte[tags.Length + metadata.Length + data.Length];
        tags.CopyTo(content);
        metadata.CopyTo(content.AsSpan(tags.Length));
        data.CopyTo(content.AsSpan(tags.Length + metadata.Length));
        return new SequencedEvent(position, PackedEvents.Names.TypeOf(type), (int)version, readTags, ticks, id, content, tags.Length,
            metadata.Length, decoder);
    }

    private static bool FitsChecksum(ReadOnlySpan<byte> line)
    {
        var end = line[^ChecksumLength..];
        return end.StartsWith(",\"checksum\":\""u8) && end.EndsWith("\"}"u8) && ChecksumTrailer.TryParse(end[13..^2], out var stated)
            && stated == Crc32C.Of(line[..^ChecksumLength]);
    }

    private static bool TryTake(ref ReadOnlySpan<byte> text, ReadOnlySpan<byte> expected)
    {
        if (!text.StartsWith(expected))
            return false;
        text = text[expected.Length..];
        return true;
    }

    private static bool TryTakeNumber(ref ReadOnlySpan<byte> text, out long number)
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
        tags = default;
        var rest = text;
        var isFirst = true;
        while (!TryTake(ref rest, "]"u8))
        {
            if (!TryTake(ref rest, isFirst ? "\""u8 : ",\""u8) || !TryTakeText(ref rest, out var tag) || tag.IndexOf((byte)':') < 1)
                return false;
            isFirst = false;
        }
        tags = text[..(text.Length - rest.Length - 1)];
        text = rest;
        return true;
    }

    private static bool TryTakeTimestamp(ref ReadOnlySpan<byte> text, out long ticks)
    {
        ticks = 0;
        if (text.Length < TimestampLength)
            return false;
        var taken = text[..TimestampLength];
        text = text[TimestampLength..];
        if (!TryDigits(taken, 0, 4, out var year) || !TryDigits(taken, 5, 2, out var month) || !TryDigits(taken, 8, 2, out var day)
            || !TryDigits(taken, 11, 2, out var hour) || !TryDigits(taken, 14, 2, out var minute) || !TryDigits(taken, 17, 2, out var second)
            || !TryDigits(taken, 20, 7, out var fraction) || taken[^1] != 'Z'
            || year < 1 || month is < 1 or > 12 || day < 1 || day > DateTime.DaysInMonth(year, month) || hour > 23 || minute > 59 || second > 59)
        {
            return false;
        }
        ticks = new DateTime(year, month, day, hour, minute, second, DateTimeKind.Utc).Ticks + fraction;
        return true;
    }

    private static bool TryDigits(ReadOnlySpan<byte> text, int start, int count, out int number)
    {
        number = 0;
        foreach (var octet in text.Slice(start, count))
        {
            if (octet is < (byte)'0' or > (byte)'9')
                return false;
            number = 10 * number + octet - '0';
        }
        return true;
    }

    private static bool TryTakeId(ref ReadOnlySpan<byte> text, out Guid id)
    {
        id = default;
        if (text.Length < IdLength || !Utf8Parser.TryParse(text[..IdLength], out id, out var length, 'D') || length != IdLength)
            return false;
        text = text[IdLength..];
        return true;
    }

    // A member of the same name inside the data is followed by the braces that end the data. The values of the metadata are texts.
    private static ReadOnlySpan<byte> MetadataOf(ReadOnlySpan<byte> rest)
    {
        var start = rest.LastIndexOf(MetadataStart);
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
            at = EndOfString(metadata, at);
        }
        return default;
    }

    private static int EndOfString(ReadOnlySpan<byte> text, int quote)
    {
        for (var at = quote + 1; at < text.Length; at += 2)
        {
            var next = text[at..].IndexOfAny((byte)'"', (byte)'\\');
            if (next < 0)
                break;
            at += next;
            if (text[at] == '"')
                return at + 1;
        }
        return text.Length;
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
            tag = PackedEvents.Names.TagOf(texts[..end]);
            texts = texts[(end + 1)..];
        }
        return tags;
    }
}
