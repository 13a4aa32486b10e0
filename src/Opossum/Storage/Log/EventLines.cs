using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Runtime.CompilerServices;
using Opossum.Serialization;

namespace Opossum.Storage.Log;

/// <summary>The lines of a group of events, and their event files of the same parts.</summary>
internal sealed class EventLines
{
    public const byte LineEnd = (byte)'\n';

    private const int LengthAtFirst = 4096;
    private const int LengthKept = 4 * 1024 * 1024;

    // Names of members, numbers, time, id and checksum, the quotes and commas of few tags included.
    private const int FixedLengthMax = 400;

    // Names of members and a number.
    private const int ConditionLengthMax = 50;

    // Where each line begins, and where the last one ends.
    private readonly List<int> starts = [0];
    private readonly byte[] time = new byte[FixedText.TimeLength];
    private long timeTicks = -1;
    private byte[] buffer = new byte[LengthAtFirst];

    public int Count => starts.Count - 1;

    /// <summary>The number of bytes of all lines, each with its line feed.</summary>
    public int Length => starts[^1];

    /// <summary>A buffer that begins with the lines.</summary>
    public byte[] Bytes => buffer;

    public ReadOnlySpan<byte> Written => buffer.AsSpan(0, Length);

    /// <summary>Where a line begins; of the number after the last one, where that ends.</summary>
    public int StartOf(int number) => starts[number];

    public int LengthOf(int number) => starts[number + 1] - starts[number];

    /// <summary>Holds the lines of other events, and stores the checksum in each.</summary>
    public void Encode(IReadOnlyList<StoredEvent> events)
    {
        Clear();
        for (var at = 0; at < events.Count; at++)
        {
            if (events[at].Line is { } known)
                Add(known);
            else
                Add(events[at], file: null);
        }
    }

    public void Clear()
    {
        Trim();
        starts.RemoveRange(1, Count);
    }

    /// <summary>Releases the memory of unusually long lines.</summary>
    public void Trim()
    {
        if (buffer.Length <= LengthKept)
            return;
        buffer = new byte[LengthAtFirst];
        starts.RemoveRange(1, Count);
    }

    /// <summary>At most this many bytes are in the line of an event that keeps no condition.</summary>
    public static long LengthMaxOf(PreparedEvent content)
    {
        var length = FixedLengthMax + (6L * content.Type.Length) + content.Json.Length + content.Metadata.Length;
        foreach (var tag in content.Tags)
            length += (6L * (tag.Key.Length + tag.Value.Length)) + 4;
        return length;
    }

    /// <summary>Adds the line of an event, stores its checksum in the event, and appends the text of its file.</summary>
    /// <param name="file">What the text of the file is appended to; null when it is not needed.</param>
    public void Add(StoredEvent stored, ArrayBufferWriter<byte>? file)
    {
        var content = stored.Content;
        var lengthMax = (int)LengthMaxOf(content);
        if (stored.Condition is { } kept)
            lengthMax += ConditionLengthMax + kept.Query.Length;
        var start = Reserve(lengthMax);
        var line = new Part(buffer.AsSpan(start, lengthMax));
        line.Write("{\"position\":"u8);
        line.Write(stored.Position);
        line.Write(",\"type\":\""u8);
        var type = line.Length;
        line.Write(content.Type);
        var typeEnd = line.Length;
        line.Write((byte)'"');
        if (content.Version != 1)
        {
            line.Write(",\"version\":"u8);
            line.Write(content.Version);
        }
        line.Write(",\"tags\":["u8);
        var tags = line.Length;
        for (var at = 0; at < content.Tags.Length; at++)
        {
            line.Write(at > 0 ? ",\""u8 : "\""u8);
            line.Write(content.Tags[at].Key);
            if (content.Tags[at].HasValue)
            {
                line.Write((byte)':');
                line.Write(content.Tags[at].Value);
            }
            line.Write((byte)'"');
        }
        var tagsEnd = line.Length;
        line.Write("],\"timestamp\":\""u8);
        line.Write(TimeOf(stored.TimestampTicks));
        line.Write("\",\"id\":\""u8);
        var id = line.Length;
        line.Write(content.Id);
        line.Write("\",\"commit\":{\"first\":"u8);
        line.Write(stored.Commit.First);
        line.Write(",\"last\":"u8);
        line.Write(stored.Commit.Last);
        line.Write(",\"after\":"u8);
        line.Write(stored.Commit.After);
        if (stored.Condition is { } condition)
        {
            line.Write("},\"condition\":{\"after\":"u8);
            line.Write(condition.After);
            line.Write(",\"query\":"u8);
            line.Write(condition.Query);
        }
        line.Write("},\"data\":"u8);
        line.Write(content.Json);
        if (content.Metadata.Length > 0)
        {
            line.Write(",\"metadata\":"u8);
            line.Write(content.Metadata);
        }
        stored.Checksum = Crc32C.Of(line.Written);
        line.Write(",\"checksum\":\"crc32c:"u8);
        var checksum = line.Length;
        line.WriteCrc(stored.Checksum);
        line.Write("\"}\n"u8);
        starts.Add(start + line.Length);
        if (file is not null)
        {
            var text = buffer.AsSpan(start, line.Length);
            AddFile(stored, text[type..typeEnd], text[tags..tagsEnd], text.Slice(id, FixedText.IdLength), text.Slice(checksum, 8), file);
        }
    }

    // The text of an event that was read.
    private void Add(ReadOnlySpan<byte> line)
    {
        var start = Reserve(line.Length + 1);
        line.CopyTo(buffer.AsSpan(start));
        buffer[start + line.Length] = LineEnd;
        starts.Add(start + line.Length + 1);
    }

    private int Reserve(int lengthMax)
    {
        if (buffer.Length - Length < lengthMax)
            Array.Resize(ref buffer, Math.Max(2 * buffer.Length, Length + lengthMax));
        return Length;
    }

    private void AddFile(StoredEvent stored, ReadOnlySpan<byte> type, ReadOnlySpan<byte> tags, ReadOnlySpan<byte> id,
        ReadOnlySpan<byte> checksum, ArrayBufferWriter<byte> file)
    {
        var content = stored.Content;
        var text = new Part(file.GetSpan(FixedLengthMax + type.Length + tags.Length + content.Tags.Length));
        text.Write("{\n  \"position\": "u8);
        text.Write(stored.Position);
        text.Write(",\n  \"type\": \""u8);
        text.Write(type);
        text.Write((byte)'"');
        if (content.Version != 1)
        {
            text.Write(",\n  \"version\": "u8);
            text.Write(content.Version);
        }
        text.Write(",\n  \"tags\": ["u8);
        // The texts of the line, with a blank after each comma between them.
        for (var isFirst = true; tags.Length > 0; isFirst = false)
        {
            var end = 1;
            while (tags[end] != '"')
                end += tags[end] == '\\' ? 2 : 1;
            if (!isFirst)
                text.Write(", "u8);
            text.Write(tags[..(end + 1)]);
            tags = end + 2 < tags.Length ? tags[(end + 2)..] : default;
        }
        text.Write("],\n  \"timestamp\": \""u8);
        text.Write(time);
        text.Write("\",\n  \"id\": \""u8);
        text.Write(id);
        text.Write("\",\n  \"commit\": { \"first\": "u8);
        text.Write(stored.Commit.First);
        text.Write(", \"last\": "u8);
        text.Write(stored.Commit.Last);
        text.Write(", \"after\": "u8);
        text.Write(stored.Commit.After);
        if (stored.Condition is { } condition)
        {
            text.Write(" },\n  \"condition\": { \"after\": "u8);
            text.Write(condition.After);
            text.Write(", \"query\": "u8);
            file.Advance(text.Length);
            JsonText.WriteOnOneLine(condition.Query, file);
            text = new Part(file.GetSpan(FixedLengthMax));
        }
        text.Write(" },\n  \"data\": "u8);
        file.Advance(text.Length);
        EventFile.WriteJson(file, content.Json);
        if (content.Metadata.Length > 0)
        {
            file.Write(",\n  \"metadata\": "u8);
            EventFile.WriteJson(file, content.Metadata);
        }
        file.Write(",\n  \"checksum\": \"crc32c:"u8);
        file.Write(checksum);
        file.Write("\"\n}\n"u8);
    }

    // The events of an append have one time.
    private ReadOnlySpan<byte> TimeOf(long ticks)
    {
        if (ticks != timeTicks)
        {
            new DateTime(ticks, DateTimeKind.Utc).TryFormat(time, out _, "O", CultureInfo.InvariantCulture);
            timeTicks = ticks;
        }
        return time;
    }

    private ref struct Part(Span<byte> target)
    {
        private readonly Span<byte> target = target;

        public int Length { get; private set; }

        public readonly ReadOnlySpan<byte> Written => target[..Length];

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Write(ReadOnlySpan<byte> text)
        {
            text.CopyTo(target[Length..]);
            Length += text.Length;
        }

        public void Write(byte octet) => target[Length++] = octet;

        public void Write(long number)
        {
            Utf8Formatter.TryFormat(number, target[Length..], out var written);
            Length += written;
        }

        public void Write(Guid id)
        {
            id.TryFormat(target[Length..], out var written);
            Length += written;
        }

        public void Write(string text) => Length += ReadableJsonEncoder.Write(text, target[Length..]);

        public void WriteCrc(uint crc)
        {
            Utf8Formatter.TryFormat(crc, target[Length..], out var written, new StandardFormat('x', 8));
            Length += written;
        }
    }
}
