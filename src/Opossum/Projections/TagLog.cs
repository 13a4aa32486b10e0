using System.Buffers;
using System.Buffers.Text;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Projections;

/// <summary>
/// The log of the tags that states have had: a line each time a state gains one, on the disk before the state is. Each term writes a
/// segment of its own; all segments together count.
/// </summary>
internal static class TagLog
{
    private const int ChecksumDigits = 8;
    private const int SegmentsMax = 8;

    private static readonly JsonWriterOptions writerOptions = new() { Encoder = ReadableJsonEncoder.Instance };

    /// <summary>How long a segment may grow before the segments are merged.</summary>
    public const long SegmentBytesMax = 64 * 1024 * 1024;

    /// <summary>Appends the line that says that from a position on a state has these tags.</summary>
    public static void WriteLine(ArrayBufferWriter<byte> buffer, string key, long position, IEnumerable<Tag> tags)
    {
        var content = new ArrayBufferWriter<byte>(256);
        using (var writer = new Utf8JsonWriter(content, writerOptions))
        {
            writer.WriteStartObject();
            writer.WriteString("key"u8, key);
            writer.WriteNumber("position"u8, position);
            writer.WriteStartArray("tags"u8);
            foreach (var tag in tags)
                writer.WriteStringValue(tag.ToString());
            writer.WriteEndArray();
            writer.WriteEndObject();
        }
        Utf8Formatter.TryFormat(Crc32C.Of(content.WrittenSpan), buffer.GetSpan(ChecksumDigits), out _, new StandardFormat('x', ChecksumDigits));
        buffer.Advance(ChecksumDigits);
        buffer.Write(" "u8);
        buffer.Write(content.WrittenSpan);
        buffer.Write("\n"u8);
    }

    /// <summary>Reads a segment on from a place; what is no whole line is not there yet, or never will be.</summary>
    /// <param name="fileSystem">The file system.</param>
    /// <param name="path">The segment.</param>
    /// <param name="from">From where.</param>
    /// <param name="take">Gets key, position and tags of each line.</param>
    /// <returns>The end of the last whole line; null when the segment is not there.</returns>
    public static long? Read(IFileSystem fileSystem, string path, long from, Action<string, long, Tag[]> take)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is null)
            return null;
        var buffer = new byte[64 * 1024];
        while (true)
        {
            var length = file.Read(buffer, from);
            var used = TakeLines(buffer.AsSpan(0, length), take, out var isBad);
            from += used;
            if (isBad || length < buffer.Length)
                return from;
            if (used == 0)
                Array.Resize(ref buffer, buffer.Length * 2);
        }
    }

    /// <summary>Makes one segment of many, that of the term; returns how long it is, 0 when there is none yet.</summary>
    public static long MergeIfMany(IFileSystem fileSystem, Generation generation, long term, IEnumerable<string> names)
    {
        var segments = new List<string>();
        foreach (var name in names)
        {
            if (Generation.TryParseTagLog(name, out var of))
                segments.Add(generation.TagLog(of));
        }
        if (segments.Count < SegmentsMax && !segments.Exists(each => IsLong(fileSystem, each)))
            return 0;
        var last = new Dictionary<(string Key, Tag Tag), long>();
        foreach (var segment in segments)
            Read(fileSystem, segment, 0, (key, position, tags) => Array.ForEach(tags, tag => last[(key, tag)] = Math.Max(position, last.GetValueOrDefault((key, tag)))));
        var merged = new ArrayBufferWriter<byte>(64 * 1024);
        foreach (var line in last.GroupBy(static each => (each.Key.Key, each.Value)))
            WriteLine(merged, line.Key.Key, line.Key.Value, line.Select(static each => each.Key.Tag));
        // A log without a line is a log all the same.
        using (var file = ProjectionFile.CreateAnew(fileSystem, generation.TagLog(term)))
        {
            file.Write(merged.WrittenSpan, 0);
            file.Flush();
        }
        fileSystem.FlushFolder(generation.Folder);
        // Order matters: they go when what they say is durable elsewhere.
        segments.ForEach(fileSystem.Delete);
        return merged.WrittenCount;
    }

    private static bool IsLong(IFileSystem fileSystem, string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        return file?.GetLength() >= SegmentBytesMax;
    }

    private static int TakeLines(ReadOnlySpan<byte> bytes, Action<string, long, Tag[]> take, out bool isBad)
    {
        var used = 0;
        while (true)
        {
            var rest = bytes[used..];
            var length = rest.IndexOf((byte)'\n');
            isBad = length >= 0 && !TryTake(rest[..length], take);
            if (length < 0 || isBad)
                return used;
            used += length + 1;
        }
    }

    private static bool TryTake(ReadOnlySpan<byte> line, Action<string, long, Tag[]> take)
    {
        if (line.Length <= ChecksumDigits || !Utf8Parser.TryParse(line[..ChecksumDigits], out uint stated, out var digits, 'x') || digits != ChecksumDigits)
            return false;
        var content = line[(ChecksumDigits + 1)..];
        if (Crc32C.Of(content) != stated)
            return false;
        var reader = new Utf8JsonReader(content);
        using var json = JsonDocument.ParseValue(ref reader);
        var members = json.RootElement;
        take(members.GetProperty("key").GetString()!, members.GetProperty("position").GetInt64(), [.. members.GetProperty("tags").EnumerateArray().Select(static each => Tag.Parse(each.GetString()!))]);
        return true;
    }
}
