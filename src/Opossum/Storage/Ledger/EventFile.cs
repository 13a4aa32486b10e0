using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Storage.Ledger;

/// <summary>The text of an event file: how it is written, and how it is read and judged.</summary>
internal static class EventFile
{
    // Small data is indented whatever it is. Of larger data that is deep, little but spaces would be written: it stays compact.
    private const int AlwaysIndentedBytes = 64 * 1024;
    private const int IndentedGrowthMax = 4;

    /// <summary>Appends the file's bytes to the buffer and notes the checksum in the event.</summary>
    public static void Write(ArrayBufferWriter<byte> buffer, StoredEvent stored)
    {
        var start = buffer.WrittenCount;
        var content = stored.Content;
        buffer.Write("{\n  \"position\": "u8);
        WriteNumber(buffer, stored.Position);
        buffer.Write(",\n  \"type\": "u8);
        WriteString(buffer, content.Type);
        if (content.Version != 1)
        {
            buffer.Write(",\n  \"version\": "u8);
            WriteNumber(buffer, content.Version);
        }
        buffer.Write(",\n  \"tags\": ["u8);
        for (var at = 0; at < content.Tags.Length; at++)
        {
            if (at > 0)
                buffer.Write(", "u8);
            WriteTag(buffer, content.Tags[at]);
        }
        buffer.Write("],\n  \"timestamp\": \""u8);
        WriteTimestamp(buffer, stored.TimestampTicks);
        buffer.Write("\",\n  \"id\": \""u8);
        content.Id.TryFormat(buffer.GetSpan(36), out var idLength);
        buffer.Advance(idLength);
        buffer.Write("\",\n  \"commit\": { \"first\": "u8);
        WriteNumber(buffer, stored.Commit.First);
        buffer.Write(", \"last\": "u8);
        WriteNumber(buffer, stored.Commit.Last);
        buffer.Write(", \"after\": "u8);
        WriteNumber(buffer, stored.Commit.After);
        buffer.Write(" },\n  \"data\": "u8);
        WriteJson(buffer, content.Json);
        if (content.Metadata.Length > 0)
        {
            buffer.Write(",\n  \"metadata\": "u8);
            WriteJson(buffer, content.Metadata);
        }
        stored.Checksum = ChecksumTrailer.Append(buffer, start);
    }

    /// <summary>The text of an event's file.</summary>
    public static byte[] TextOf(StoredEvent stored)
    {
        var buffer = new ArrayBufferWriter<byte>();
        Write(buffer, stored);
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>The same of a packed copy; null when its text does not have the checksum that it states.</summary>
    public static byte[]? TextOfCopy(StoredEvent copy)
    {
        var stated = copy.Checksum;
        var text = TextOf(copy);
        // Writing the text has computed the checksum anew.
        return copy.Checksum == stated ? text : null;
    }

    /// <summary>Reads and judges a whole file.</summary>
    /// <param name="file">The file's bytes.</param>
    /// <param name="position">The position its name stands for.</param>
    /// <param name="problem">What is wrong with it, as the end of a sentence that begins with the file; null when it is valid.</param>
    /// <returns>The event; null when the file is not valid.</returns>
    public static StoredEvent? Read(ReadOnlySpan<byte> file, long position, out string? problem)
    {
        // The last line feed says nothing that the checksum has not proven: editors drop it, and a write may be cut off before it.
        if (file.Length > 0 && file[^1] != (byte)'\n')
            file = (byte[])[.. file, (byte)'\n'];
        problem = ChecksumTrailer.Judge(file);
        if (problem is not null)
            return null;
        return ReadText(file, position, isEdited: false, out problem);
    }

    /// <summary>Reads a file that somebody edited: all must be there that an event has, but neither its checksum nor its layout counts.</summary>
    /// <param name="file">The file's bytes.</param>
    /// <param name="position">The position its name stands for.</param>
    /// <param name="problem">What is wrong with it, as the end of a sentence that begins with the file; null when it is an event.</param>
    /// <returns>The event, without a checksum; null when the file holds none.</returns>
    public static StoredEvent? ReadEdited(ReadOnlySpan<byte> file, long position, out string? problem) =>
        ReadText(JsonText.WithoutByteOrderMark(file), position, isEdited: true, out problem);

    /// <summary>
    /// Whether somebody edited a file that is not valid. A file is created empty and written once, so what a crash leaves of it lacks its end or
    /// has zeros in it. A whole one whose checksum fits was copied from elsewhere.
    /// </summary>
    public static bool WasEdited(ReadOnlySpan<byte> file)
    {
        if (ChecksumTrailer.Judge(file) is null)
            return false;
        // Saved as UTF-16, which is full of zeros.
        if (file is [0xFF, 0xFE, ..] or [0xFE, 0xFF, ..])
            return true;
        return !file.Contains((byte)0) && (ChecksumTrailer.IsAtEnd(file) || IsWhole(JsonText.WithoutByteOrderMark(file)));
    }

    // Whether it begins with an object that comes to its end.
    private static bool IsWhole(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json, isFinalBlock: false, new JsonReaderState(new JsonReaderOptions { MaxDepth = JsonText.DepthMax + 2 }));
        try
        {
            while (reader.Read())
            {
                if (reader.TokenType == JsonTokenType.EndObject && reader.CurrentDepth == 0)
                    return true;
            }
        }
        catch (JsonException)
        {
            // What is no JSON before its end was not written by a store, nor edited to be an event.
        }
        return false;
    }

    private static StoredEvent? ReadText(ReadOnlySpan<byte> file, long position, bool isEdited, out string? problem)
    {
        try
        {
            var stored = ReadMembers(file, isEdited);
            problem = stored.Position == position ? null : $"holds the event of position {stored.Position}, which is not its name";
            return problem is null ? stored : null;
        }
        catch (Exception e) when (e is JsonException or FormatException or InvalidOperationException or ArgumentException)
        {
            problem = isEdited ? $"is not an event file: {e.Message}" : $"is not an event file although its checksum fits: {e.Message}";
            return null;
        }
    }

    private static StoredEvent ReadMembers(ReadOnlySpan<byte> file, bool isEdited)
    {
        var reader = new Utf8JsonReader(file, new JsonReaderOptions { MaxDepth = JsonText.DepthMax + 2 });
        Expect(ref reader, JsonTokenType.StartObject);
        ExpectMember(ref reader, "position"u8);
        var position = ReadPosition(ref reader);
        ExpectMember(ref reader, "type"u8);
        var type = ReadText(ref reader);
        NameRules.CheckEventType(type, "type");
        var version = 1;
        reader.Read();
        if (reader.ValueTextEquals("version"u8))
        {
            version = ReadVersion(ref reader);
            reader.Read();
        }
        if (!reader.ValueTextEquals("tags"u8))
            throw new FormatException("the member \"tags\" is not where it belongs");
        Expect(ref reader, JsonTokenType.StartArray);
        var tags = new List<Tag>(4);
        while (reader.Read() && reader.TokenType == JsonTokenType.String)
            tags.Add(Tag.Parse(reader.GetString()!));
        if (tags.Count > 1 && tags.Distinct().Count() < tags.Count)
            throw new FormatException("one of its tags stands there twice");
        ExpectMember(ref reader, "timestamp"u8);
        var timestamp = ReadTimestamp(ref reader);
        ExpectMember(ref reader, "id"u8);
        var id = Guid.ParseExact(ReadText(ref reader), "D");
        ExpectMember(ref reader, "commit"u8);
        Expect(ref reader, JsonTokenType.StartObject);
        ExpectMember(ref reader, "first"u8);
        var first = ReadPosition(ref reader);
        ExpectMember(ref reader, "last"u8);
        var last = ReadPosition(ref reader);
        ExpectMember(ref reader, "after"u8);
        var after = ReadPosition(ref reader);
        Expect(ref reader, JsonTokenType.EndObject);
        if (first < 1 || first > position || position > last || last > StoreLayout.PositionMax || after < 0 || after >= first)
            throw new FormatException($"its commit (first {first}, last {last}, after {after}) does not fit its position {position}");
        ExpectMember(ref reader, "data"u8);
        var json = ReadValue(ref reader, file);
        reader.Read();
        byte[] metadata = [];
        if (reader.TokenType == JsonTokenType.PropertyName && reader.ValueTextEquals("metadata"u8))
        {
            metadata = ReadMetadata(ref reader, file);
            reader.Read();
        }
        ReadEnd(ref reader, file, isEdited);
        return new StoredEvent(new PreparedEvent(type, version, [.. tags], id, json, metadata), position, new CommitRange(first, last, after), timestamp.Ticks)
        {
            Checksum = ChecksumTrailer.Stated(file) ?? 0,
        };
    }

    private static void ReadEnd(ref Utf8JsonReader reader, ReadOnlySpan<byte> file, bool isEdited)
    {
        if (isEdited && reader.TokenType == JsonTokenType.PropertyName && reader.ValueTextEquals("checksum"u8))
        {
            _ = ReadText(ref reader);
            reader.Read();
        }
        var isEnd = isEdited
            ? reader.TokenType == JsonTokenType.EndObject && !reader.Read()
            : reader.ValueTextEquals("checksum"u8) && reader.TokenStartIndex >= file.Length - ChecksumTrailer.Length;
        if (!isEnd)
            throw new FormatException("the member \"checksum\" is not where it belongs");
    }

    private static void Expect(ref Utf8JsonReader reader, JsonTokenType token)
    {
        if (!reader.Read() || reader.TokenType != token)
            throw new FormatException($"{token} was expected at byte {reader.TokenStartIndex}");
    }

    private static void ExpectMember(ref Utf8JsonReader reader, ReadOnlySpan<byte> name)
    {
        if (!reader.Read() || reader.TokenType != JsonTokenType.PropertyName || !reader.ValueTextEquals(name))
            throw new FormatException($"the member \"{Encoding.UTF8.GetString(name)}\" is not where it belongs");
    }

    private static long ReadPosition(ref Utf8JsonReader reader)
    {
        Expect(ref reader, JsonTokenType.Number);
        return reader.GetInt64();
    }

    private static string ReadText(ref Utf8JsonReader reader)
    {
        Expect(ref reader, JsonTokenType.String);
        return reader.GetString()!;
    }

    private static int ReadVersion(ref Utf8JsonReader reader)
    {
        Expect(ref reader, JsonTokenType.Number);
        return reader.TryGetInt32(out var version) && version >= 1 ? version : throw new FormatException("its version is not a number from 1 to 2147483647");
    }

    private static DateTime ReadTimestamp(ref Utf8JsonReader reader)
    {
        var timestamp = DateTime.ParseExact(ReadText(ref reader), "O", CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind);
        return timestamp.Kind == DateTimeKind.Utc ? timestamp : throw new FormatException("its timestamp is not in UTC");
    }

    // Judged as strictly as what is appended: whoever wrote the file may have computed its checksum too.
    private static byte[] ReadValue(ref Utf8JsonReader reader, ReadOnlySpan<byte> file)
    {
        reader.Read();
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        return JsonText.Normalize(file[start..(int)reader.BytesConsumed]);
    }

    private static byte[] ReadMetadata(ref Utf8JsonReader reader, ReadOnlySpan<byte> file)
    {
        var metadata = ReadValue(ref reader, file);
        var members = new Utf8JsonReader(metadata);
        members.Read();
        var isMap = members.TokenType == JsonTokenType.StartObject;
        while (isMap && members.Read() && members.TokenType == JsonTokenType.PropertyName)
            isMap = members.Read() && members.TokenType == JsonTokenType.String;
        return isMap ? metadata : throw new FormatException("its metadata is not an object of texts");
    }

    private static void WriteJson(ArrayBufferWriter<byte> buffer, ReadOnlySpan<byte> json)
    {
        if (json.Length > AlwaysIndentedBytes && JsonText.IndentedLength(json, depth: 1) > (long)IndentedGrowthMax * json.Length)
            buffer.Write(json);
        else
            JsonText.WriteIndented(json, buffer, depth: 1);
    }

    private static void WriteNumber(ArrayBufferWriter<byte> buffer, long number)
    {
        Utf8Formatter.TryFormat(number, buffer.GetSpan(20), out var length);
        buffer.Advance(length);
    }

    private static void WriteTimestamp(ArrayBufferWriter<byte> buffer, long ticks)
    {
        new DateTime(ticks, DateTimeKind.Utc).TryFormat(buffer.GetSpan(28), out var length, "O", CultureInfo.InvariantCulture);
        buffer.Advance(length);
    }

    private static void WriteTag(ArrayBufferWriter<byte> buffer, Tag tag)
    {
        buffer.Write("\""u8);
        ReadableJsonEncoder.Write(tag.Key, buffer);
        buffer.Write(":"u8);
        ReadableJsonEncoder.Write(tag.Value, buffer);
        buffer.Write("\""u8);
    }

    private static void WriteString(ArrayBufferWriter<byte> buffer, string text)
    {
        buffer.Write("\""u8);
        ReadableJsonEncoder.Write(text, buffer);
        buffer.Write("\""u8);
    }
}
