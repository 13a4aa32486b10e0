using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using Opossum.Serialization;

namespace Opossum.Storage.Log;

/// <summary>Writes an event file in one pass: its members, laid out to be read by people, and the checksum of its canonical text.</summary>
/// <param name="buffer">What it appends to.</param>
/// <param name="isLine">Whether it writes the canonical text before the checksum instead.</param>
internal ref struct EventFileWriter(ArrayBufferWriter<byte> buffer, bool isLine = false)
{
    private uint crc = Crc32C.Begin;

    /// <summary>Appends the file's bytes to the buffer and stores the checksum in the event.</summary>
    public void Write(StoredEvent stored)
    {
        var content = stored.Content;
        WriteMember("{\"position\":"u8);
        WriteNumber(stored.Position);
        WriteMember(",\"type\":"u8);
        WriteText(content.Type);
        if (content.Version != 1)
        {
            WriteMember(",\"version\":"u8);
            WriteNumber(content.Version);
        }
        WriteMember(",\"tags\":"u8);
        WriteTags(content.Tags);
        WriteMember(",\"timestamp\":"u8);
        WriteTimestamp(stored.TimestampTicks);
        WriteMember(",\"id\":"u8);
        WriteId(content.Id);
        WriteMember(",\"commit\":"u8);
        WriteInline("{ \"first\": "u8, "{\"first\":"u8);
        WriteNumber(stored.Commit.First);
        WriteInline(", \"last\": "u8, ",\"last\":"u8);
        WriteNumber(stored.Commit.Last);
        WriteInline(", \"after\": "u8, ",\"after\":"u8);
        WriteNumber(stored.Commit.After);
        WriteInline(" }"u8, "}"u8);
        WriteMember(",\"data\":"u8);
        WriteJson(content.Json);
        if (content.Metadata.Length > 0)
        {
            WriteMember(",\"metadata\":"u8);
            WriteJson(content.Metadata);
        }
        stored.Checksum = Crc32C.End(crc);
        if (!isLine)
            ChecksumTrailer.Append(buffer, stored.Checksum);
    }

    // Takes the name as written in canonical text, with the characters around it; the file has it on its own line.
    private void WriteMember(ReadOnlySpan<byte> name)
    {
        crc = Crc32C.Add(crc, name);
        if (isLine)
        {
            buffer.Write(name);
            return;
        }
        var line = buffer.GetSpan(name.Length + 4);
        line[0] = name[0];
        "\n  "u8.CopyTo(line[1..]);
        name[1..].CopyTo(line[4..]);
        line[name.Length + 3] = (byte)' ';
        buffer.Advance(name.Length + 4);
    }

    private void WriteInline(ReadOnlySpan<byte> text, ReadOnlySpan<byte> canonical)
    {
        crc = Crc32C.Add(crc, canonical);
        buffer.Write(isLine ? canonical : text);
    }

    private void WriteJson(ReadOnlySpan<byte> json)
    {
        crc = Crc32C.Add(crc, json);
        if (isLine)
            buffer.Write(json);
        else
            EventFile.WriteJson(buffer, json);
    }

    private void WriteNumber(long number)
    {
        var digits = buffer.GetSpan(20);
        Utf8Formatter.TryFormat(number, digits, out var length);
        Advance(digits[..length]);
    }

    private void WriteTimestamp(long ticks)
    {
        var text = buffer.GetSpan(30);
        text[0] = text[29] = (byte)'"';
        new DateTime(ticks, DateTimeKind.Utc).TryFormat(text[1..29], out _, "O", CultureInfo.InvariantCulture);
        Advance(text[..30]);
    }

    private void WriteId(Guid id)
    {
        var text = buffer.GetSpan(38);
        text[0] = text[37] = (byte)'"';
        id.TryFormat(text[1..37], out _);
        Advance(text[..38]);
    }

    private void WriteTags(ReadOnlySpan<Tag> tags)
    {
        WriteInline("["u8, "["u8);
        for (var at = 0; at < tags.Length; at++)
        {
            if (at > 0)
                WriteInline(", "u8, ","u8);
            var start = buffer.WrittenCount;
            buffer.Write("\""u8);
            ReadableJsonEncoder.Write(tags[at].Key, buffer);
            buffer.Write(":"u8);
            ReadableJsonEncoder.Write(tags[at].Value, buffer);
            buffer.Write("\""u8);
            AddWritten(start);
        }
        WriteInline("]"u8, "]"u8);
    }

    private void WriteText(string text)
    {
        var start = buffer.WrittenCount;
        buffer.Write("\""u8);
        ReadableJsonEncoder.Write(text, buffer);
        buffer.Write("\""u8);
        AddWritten(start);
    }

    private void AddWritten(int start) => crc = Crc32C.Add(crc, buffer.WrittenSpan[start..]);

    private void Advance(ReadOnlySpan<byte> written)
    {
        crc = Crc32C.Add(crc, written);
        buffer.Advance(written.Length);
    }
}
