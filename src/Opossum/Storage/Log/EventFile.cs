using System.Buffers;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Storage.Log;

/// <summary>The text of an event file: writes it, reads it and validates it.</summary>
internal static class EventFile
{
    // Small data is always indented. Larger data stays compact if it is so deep that indenting would write mostly spaces.
    private const int AlwaysIndentedBytes = 64 * 1024;
    private const int IndentedGrowthMax = 4;

    /// <summary>Allows the depth that data may have in a file.</summary>
    public static readonly JsonReaderOptions ReaderOptions = new() { MaxDepth = JsonText.DepthMax + 2 };

    /// <summary>The file's bytes. Stores the checksum in the event.</summary>
    public static byte[] TextOf(StoredEvent stored)
    {
        var buffer = new ArrayBufferWriter<byte>();
        new EventLines().Add(stored, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>At most this many bytes are in the file of an event that keeps no condition.</summary>
    public static long LengthMaxOf(PreparedEvent content) =>
        EventLines.LengthMaxOf(content) - content.Bytes + LaidOutLength(content.Json) + LaidOutLength(content.Metadata);

    /// <summary>Lays out an event's canonical text as an event file. Text that is no JSON, and so no event, stays as it is.</summary>
    public static byte[] TextOfLine(ReadOnlySpan<byte> line)
    {
        try
        {
            return LayOut(line);
        }
        catch (JsonException)
        {
            return line.ToArray();
        }
    }

    /// <summary>Reads an event's canonical text, whatever its position. It may lack the checksum, as text that a program wrote or changed.</summary>
    /// <param name="problem">What is wrong with it, as the end of a sentence that begins with the line; null when it is valid.</param>
    public static StoredEvent? ReadLine(ReadOnlySpan<byte> line, out string? problem)
    {
        try
        {
            var reader = new EventFileReader(line);
            var stored = reader.Read(takesUnknown: false, needsChecksum: false);
            problem = reader.ChecksumFits || ChecksumTrailer.Stated(line) is null ? null : ChecksumTrailer.Judge(line);
            return problem is null ? stored : null;
        }
        catch (Exception e) when (e is JsonException or FormatException or InvalidOperationException or ArgumentException)
        {
            problem = $"is not an event: {e.Message}";
            return null;
        }
    }

    /// <summary>Reads and validates a whole file.</summary>
    /// <param name="file">The file's bytes.</param>
    /// <param name="position">The position that its name states.</param>
    /// <param name="problem">What is wrong with it, as the end of a sentence that begins with its path; null when it is valid.</param>
    /// <param name="takesUnknown">Whether one unknown member may follow the metadata, as in a store with a higher minor format.</param>
    /// <returns>The event; null when the file is not valid.</returns>
    public static StoredEvent? Read(ReadOnlySpan<byte> file, long position, out string? problem, bool takesUnknown = false)
    {
        if (Read(file, position, takesUnknown, needsChecksum: true, out var checksumFits, out problem) is { } stored && checksumFits)
        {
            stored.Line = CanonicalText.Of(file);
            return stored;
        }
        // A checksum that does not match explains any other problem of the file.
        problem = ChecksumTrailer.Judge(file) ?? problem;
        return null;
    }

    /// <summary>Reads an edited file: it must have exactly the members of an event, but its checksum is ignored.</summary>
    /// <param name="file">The file's bytes.</param>
    /// <param name="position">The position that its name states.</param>
    /// <param name="problem">What is wrong with it, as the end of a sentence that begins with its path; null when it is an event.</param>
    /// <returns>The event, without a checksum; null when the file holds none.</returns>
    public static StoredEvent? ReadEdited(ReadOnlySpan<byte> file, long position, out string? problem) =>
        Read(file, position, takesUnknown: false, needsChecksum: false, out _, out problem);

    private static byte[] LayOut(ReadOnlySpan<byte> line)
    {
        var buffer = new ArrayBufferWriter<byte>(line.Length);
        var reader = new Utf8JsonReader(line, ReaderOptions);
        reader.Read();
        var separator = "{\n  \""u8;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            buffer.Write(separator);
            buffer.Write(reader.ValueSpan);
            buffer.Write("\": "u8);
            var isOnOneLine = reader.ValueTextEquals("tags"u8) || reader.ValueTextEquals("commit"u8) || reader.ValueTextEquals("condition"u8);
            reader.Read();
            var start = (int)reader.TokenStartIndex;
            reader.Skip();
            var value = line[start..(int)reader.BytesConsumed];
            if (isOnOneLine)
                JsonText.WriteOnOneLine(value, buffer);
            else
                WriteJson(buffer, value);
            separator = ",\n  \""u8;
        }
        buffer.Write("\n}\n"u8);
        return buffer.WrittenSpan.ToArray();
    }

    private static StoredEvent? Read(ReadOnlySpan<byte> file, long position, bool takesUnknown, bool needsChecksum, out bool checksumFits,
        out string? problem)
    {
        checksumFits = false;
        try
        {
            var reader = new EventFileReader(file);
            var stored = reader.Read(takesUnknown, needsChecksum);
            checksumFits = reader.ChecksumFits;
            problem = stored.Position == position ? null : $"holds the event of position {stored.Position}, not of {position}";
            return problem is null ? stored : null;
        }
        catch (Exception e) when (e is JsonException or FormatException or InvalidOperationException or ArgumentException)
        {
            problem = needsChecksum ? $"is not an event file although its checksum matches: {e.Message}" : $"is not an event file: {e.Message}";
            return null;
        }
    }

    /// <summary>Writes compact JSON as the value of a member: indented, or unchanged if indenting would write mostly spaces.</summary>
    public static void WriteJson(ArrayBufferWriter<byte> buffer, ReadOnlySpan<byte> json)
    {
        if (json.Length > AlwaysIndentedBytes && LaidOutLength(json) == json.Length)
            buffer.Write(json);
        else
            JsonText.WriteIndented(json, buffer, depth: 1);
    }

    private static long LaidOutLength(ReadOnlySpan<byte> json)
    {
        var indented = JsonText.IndentedLength(json, depth: 1);
        return json.Length > AlwaysIndentedBytes && indented > (long)IndentedGrowthMax * json.Length ? json.Length : indented;
    }
}
