using System.Buffers;
using System.Buffers.Text;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>
/// The log of the tags that states have had: one line each time a state gains tags, on the disk before the state. Each term writes its own
/// segment. The checkpoint says how much of each segment is durable: a bad line in that part is damage. Lines after that part, in the segment that
/// is being written, belong to states that may already exist, and may be torn.
/// </summary>
internal static class TagLog
{
    // Eight digits and a blank.
    private const int ChecksumLength = 9;

    // A line is shorter than the file of its state.
    private const int LineBytesMax = 2 * ProjectionLayout.StateBytesMax;

    private static readonly JsonWriterOptions writerOptions = new() { Encoder = ReadableJsonEncoder.Instance };

    /// <summary>Appends a line: from a position on, a state has these tags.</summary>
    public static void WriteLine(ArrayBufferWriter<byte> buffer, string key, long position, ReadOnlySpan<Tag> tags)
    {
        var content = new ArrayBufferWriter<byte>(256);
        using (var writer = new Utf8JsonWriter(content, writerOptions))
        {
            StateFile.WriteStart(writer, key, position, tags);
            writer.WriteEndObject();
        }
        WriteChecksum(content.WrittenSpan, buffer.GetSpan(ChecksumLength));
        buffer.Advance(ChecksumLength);
        buffer.Write(content.WrittenSpan);
        buffer.Write("\n"u8);
    }

    /// <summary>Reads a segment from a place, up to the last complete line.</summary>
    /// <param name="end">The end of the read; <see cref="long.MaxValue"/>: the end of the segment.</param>
    /// <param name="bytesAtOnce">So many bytes are read at a time, and more only for a longer line.</param>
    /// <param name="take">Receives key, position and tags of each line.</param>
    /// <returns>The end of the last complete line, and whether nothing follows it; null if the segment is missing.</returns>
    public static (long End, bool IsWhole)? Read(IFileSystem fileSystem, string path, long from, long end, int bytesAtOnce,
        Action<string, long, Tag[]> take)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        if (file is null)
            return null;
        var buffer = new byte[bytesAtOnce];
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
            // No line contains a zero byte. A file that grew without its data has many zeros and no end of a line.
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
            take(CheckedFile.GetText(members, "key"), CheckedFile.GetPosition(members, "position"),
                [.. members.GetProperty("tags").EnumerateArray().Select(static each => Tag.Parse(each.GetString() ?? ""))]);
            return true;
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException or ArgumentException)
        {
            // The checksum matches, but the text is not a valid line, so its meaning is unknown.
            return false;
        }
    }
}
