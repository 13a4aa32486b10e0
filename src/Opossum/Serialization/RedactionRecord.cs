using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>What an event's metadata says of its redactions: an entry whose value is JSON as text.</summary>
/// <param name="Leaf">The event's leaf in the Merkle tree before its first redaction, in base64.</param>
/// <param name="Redactions">The redactions, the oldest first.</param>
internal sealed record RedactionRecord(string Leaf, IReadOnlyList<EventRedaction> Redactions)
{
    private static readonly JsonWriterOptions writerOptions = new() { Encoder = ReadableJsonEncoder.Instance };
    private static readonly JsonDocumentOptions documentOptions = new() { AllowDuplicateProperties = false };

    private static ReadOnlySpan<byte> Entry => "\"$redaction\":"u8;

    /// <summary>Whether JSON has an entry of that name.</summary>
    public static bool MayBeIn(ReadOnlySpan<byte> json) => json.IndexOf(Entry) >= 0;

    /// <summary>Reads the record of an event; null when it has none, or one that no redaction writes.</summary>
    /// <param name="metadata">The event's metadata as a JSON object whose values are strings; empty when there is none.</param>
    public static RedactionRecord? Read(ReadOnlySpan<byte> metadata)
    {
        if (!MayBeIn(metadata))
            return null;
        var reader = new Utf8JsonReader(metadata);
        while (reader.Read())
        {
            if (reader.TokenType == JsonTokenType.PropertyName && reader.ValueTextEquals(EventRedaction.MetadataKey))
                return reader.Read() ? Parse(reader.GetString()!) : null;
        }
        return null;
    }

    /// <summary>Parses the value of the entry; null when it is not one that a redaction writes.</summary>
    public static RedactionRecord? Parse(string text)
    {
        try
        {
            var record = JsonElement.Parse(text, documentOptions);
            EventRedaction[] redactions = [.. record.GetProperty("redactions").EnumerateArray().Select(Read)];
            return redactions.Length == 0 || Array.Exists(redactions, static each => each.Members.Count == 0) ? null
                : new RedactionRecord(TextOf(record, "leaf"), redactions);
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            return null;
        }
    }

    /// <summary>The metadata with this record in place of an earlier one.</summary>
    public byte[] AddTo(ReadOnlySpan<byte> metadata)
    {
        var buffer = new ArrayBufferWriter<byte>(metadata.Length + 512);
        using var writer = new Utf8JsonWriter(buffer, writerOptions);
        writer.WriteStartObject();
        var reader = new Utf8JsonReader(metadata.IsEmpty ? "{}"u8 : metadata);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var key = reader.GetString()!;
            reader.Read();
            if (key != EventRedaction.MetadataKey)
                writer.WriteString(key, reader.GetString());
        }
        writer.WriteString(EventRedaction.MetadataKey, ToText());
        writer.WriteEndObject();
        writer.Flush();
        return buffer.WrittenSpan.ToArray();
    }

    public static void Write(Utf8JsonWriter writer, EventRedaction redaction)
    {
        writer.WriteStartArray("members"u8);
        foreach (var member in redaction.Members)
            writer.WriteStringValue(member);
        writer.WriteEndArray();
        writer.WriteString("reason"u8, redaction.Reason);
        writer.WriteString("by"u8, redaction.By);
        writer.WriteString("at"u8, redaction.At.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
    }

    /// <summary>Reads what <see cref="Write"/> writes; throws a JSON exception or a <see cref="FormatException"/> otherwise.</summary>
    public static EventRedaction Read(JsonElement redaction) => new()
    {
        Members =
        [
            .. redaction.GetProperty("members").EnumerateArray()
                .Select(static member => member.GetString() ?? throw new FormatException("null")),
        ],
        Reason = TextOf(redaction, "reason"),
        By = TextOf(redaction, "by"),
        At = DateTimeOffset.ParseExact(TextOf(redaction, "at"), "O", CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal),
    };

    private static string TextOf(JsonElement element, string name) =>
        element.GetProperty(name).GetString() ?? throw new FormatException($"{name} is null");

    private string ToText()
    {
        var buffer = new ArrayBufferWriter<byte>(512);
        using var writer = new Utf8JsonWriter(buffer, writerOptions);
        writer.WriteStartObject();
        writer.WriteString("leaf"u8, Leaf);
        writer.WriteStartArray("redactions"u8);
        foreach (var redaction in Redactions)
        {
            writer.WriteStartObject();
            Write(writer, redaction);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
        writer.WriteEndObject();
        writer.Flush();
        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }
}
