using System.Buffers;
using System.Buffers.Text;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>
/// The log of the tags that states have had: a line each time a state gains one, on the disk before the state is. Each term writes a
/// segment of its own. The checkpoint says how much of which segments is durable: a bad line in there is damage. What the segment that is being
/// written has after it belongs to states that may be there already, and may be torn.
/// </summary>
internal static class TagLog
{
    // Eight digits and a blank.
    private const int ChecksumLength = 9;

    // A line says less than the file of the state that it is about.
    private const int LineBytesMax = 2 * ProjectionLayout.StateBytesMax;

    private static readonly JsonWriterOptions writerOptions = new() { Encoder = ReadableJsonEncoder.Instance };

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
        WriteChecksum(content.WrittenSpan, buffer.GetSpan(ChecksumLength));
        buffer.Advance(ChecksumLength);
        buffer.Write(content.WrittenSpan);
        buffer.Write("\n"u8);
    }

    /// <summary>Reads a segment on from a place, as far as its lines are whole.</summary>
    /// <param name="fileSystem">The file system.</param>
    /// <param name="path">The segment.</param>
    /// <param name="from">From where.</param>
    /// <param name="end">Up to where; <see cref="long.MaxValue"/>: to its end.</param>
    /// <param name="take">Gets key, position and tags of each line.</param>
    /// <returns>The end of the last whole line, and whether there is nothing after it; null when the segment is not there.</returns>
    public static (long End, bool IsWhole)? Read(IFileSystem fileSystem, string path, long from, long end, Action<string, long, Tag[]> take)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is null)
            return null;
        var buffer = new byte[64 * 1024];
        while (true)
        {
            var wanted = (int)Math.Min(buffer.Length, end - from);
            var length = file.Read(buffer.AsSpan(0, wanted), from);
            var used = TakeLines(buffer.AsSpan(0, length), take, out var isBad);
            from += used;
            if (isBad || length < buffer.Length)
                return (from, used == length);
            if (used > 0)
                continue;
            if (length >= LineBytesMax)
                return (from, false);
            Array.Resize(ref buffer, buffer.Length * 2);
        }
    }

    private static int TakeLines(ReadOnlySpan<byte> bytes, Action<string, long, Tag[]> take, out bool isBad)
    {
        var used = 0;
        while (true)
        {
            var rest = bytes[used..];
            // No line holds a zero: where a file has grown without what was to be written there are many, and no line's end.
            var length = rest.IndexOfAny((byte)'\n', (byte)0);
            isBad = length >= 0 && (rest[length] == 0 || !TryTake(rest[..length], take));
            if (length < 0 || isBad)
                return used;
            used += length + 1;
        }
    }

    private static void WriteChecksum(ReadOnlySpan<byte> content, Span<byte> checksum)
    {
        Utf8Formatter.TryFormat(Crc32C.Of(content), checksum, out var digits, new StandardFormat('x', ChecksumLength - 1));
        checksum[digits] = (byte)' ';
    }

    private static bool TryTake(ReadOnlySpan<byte> line, Action<string, long, Tag[]> take)
    {
        if (line.Length < ChecksumLength)
            return false;
        var content = line[ChecksumLength..];
        Span<byte> checksum = stackalloc byte[ChecksumLength];
        WriteChecksum(content, checksum);
        if (!line.StartsWith(checksum))
            return false;
        try
        {
            var members = JsonElement.Parse(content);
            take(ProjectionFile.GetText(members, "key"), ProjectionFile.GetPosition(members, "position"), [.. members.GetProperty("tags").EnumerateArray().Select(static each => Tag.Parse(each.GetString() ?? ""))]);
            return true;
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException or ArgumentException)
        {
            // Its checksum fits, but it is no line: so nobody can tell what it should say.
            return false;
        }
    }
}
