using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Security.Cryptography;
using System.Text.Encodings.Web;
using System.Text.Json;
using Opossum.Cli.Events;

namespace Opossum.Cli.Migration;

/// <summary>An event file of the flat layout.</summary>
internal sealed class FlatEvent : IDisposable
{
    private static readonly JsonWriterOptions writerOptions = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly JsonDocument document;
    private readonly long position;
    private readonly Guid id;
    private readonly DateTimeOffset timestamp;
    private readonly List<Tag> tags;

    private FlatEvent(JsonDocument document, long position, byte[] bytes)
    {
        this.document = document;
        this.position = position;
        var root = document.RootElement;
        if (root.GetProperty("position").GetInt64() is var stated && stated != position)
            throw new FormatException($"it states position {stated}");
        ClrType = TypeOf(root.GetProperty("event"));
        timestamp = root.GetProperty("metadata").GetProperty("timestamp").GetDateTimeOffset();
        tags = [.. TagsOf(root.GetProperty("event"))];
        id = IdOf(position, bytes);
    }

    /// <summary>The name of the CLR type, without its assembly.</summary>
    public string ClrType { get; }

    /// <exception cref="CliException">The file is not an event, or cannot be read.</exception>
    public static FlatEvent Read(string path, long position)
    {
        var bytes = File.ReadAllBytes(path);
        JsonDocument? document = null;
        try
        {
            if (JsonBytes.FindBadByte(bytes) is { } bad)
                throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"at byte {bad}, {JsonBytes.NotUtf8}"));
            var json = JsonBytes.WithoutByteOrderMark(bytes);
            document = JsonDocument.Parse(json, JsonBytes.Options with { MaxDepth = JsonBytes.FileDepthMax });
            JsonBytes.ThrowIfHalfCharacter(json);
            return new FlatEvent(document, position, bytes);
        }
        catch (Exception e) when (e is JsonException or FormatException or InvalidOperationException or KeyNotFoundException or ArgumentException)
        {
            document?.Dispose();
            throw new CliException(ExitCode.Failed, $"{path} is not an event of the flat layout: {e.Message.TrimEnd('.')}. The events before it may "
                + "have been migrated, and are not migrated again. Correct the file and run this again.", e);
        }
    }

    /// <summary>The event's line for an import.</summary>
    public byte[] ToLine(string type)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, writerOptions))
        {
            writer.WriteStartObject();
            writer.WriteNumber("position", position);
            writer.WriteString("type", type);
            writer.WriteStartArray("tags");
            foreach (var tag in tags)
                writer.WriteStringValue(tag.ToString());
            writer.WriteEndArray();
            writer.WriteString("timestamp", timestamp.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
            writer.WriteString("id", id);
            // The layout does not record which events were appended together.
            writer.WriteStartObject("commit");
            writer.WriteNumber("first", position);
            writer.WriteNumber("last", position);
            writer.WriteNumber("after", position - 1);
            writer.WriteEndObject();
            WriteData(writer);
            WriteMetadata(writer);
            writer.WriteEndObject();
        }
        buffer.Write("\n"u8);
        return buffer.WrittenSpan.ToArray();
    }

    public void Dispose() => document.Dispose();

    // The type's name moves to the event; what $type says of nested objects is the app's own.
    private void WriteData(Utf8JsonWriter writer)
    {
        var data = document.RootElement.GetProperty("event").GetProperty("event");
        writer.WritePropertyName("data");
        if (data.ValueKind != JsonValueKind.Object)
        {
            data.WriteTo(writer);
            return;
        }
        writer.WriteStartObject();
        foreach (var member in data.EnumerateObject())
        {
            if (!member.NameEquals("$type"))
                member.WriteTo(writer);
        }
        writer.WriteEndObject();
    }

    private void WriteMetadata(Utf8JsonWriter writer)
    {
        var members = document.RootElement.GetProperty("metadata").EnumerateObject()
            .Where(static member => !member.NameEquals("timestamp") && member.Value.ValueKind != JsonValueKind.Null).ToList();
        if (members.Count == 0)
            return;
        writer.WriteStartObject("metadata");
        foreach (var member in members)
            writer.WriteString(member.Name, member.Value.ValueKind == JsonValueKind.String ? member.Value.GetString() : member.Value.GetRawText());
        writer.WriteEndObject();
    }

    private static string TypeOf(JsonElement envelope)
    {
        var data = envelope.GetProperty("event");
        if (data.ValueKind == JsonValueKind.Object && data.TryGetProperty("$type", out var type))
            return WithoutAssembly(type.GetString() ?? throw new FormatException("its $type is null"));
        return envelope.GetProperty("eventType").GetString() ?? throw new FormatException("its eventType is null");
    }

    // The assembly follows the first comma outside brackets.
    private static string WithoutAssembly(string type)
    {
        var depth = 0;
        for (var at = 0; at < type.Length; at++)
        {
            depth += type[at] switch { '[' => 1, ']' => -1, _ => 0 };
            if (type[at] == ',' && depth == 0)
                return type[..at];
        }
        return type;
    }

    private static IEnumerable<Tag> TagsOf(JsonElement envelope) =>
        envelope.TryGetProperty("tags", out var tags) && tags.ValueKind == JsonValueKind.Array
            ? tags.EnumerateArray().Select(TagOf).Distinct()
            : [];

    private static Tag TagOf(JsonElement tag) => new(tag.GetProperty("key").GetString()!, tag.GetProperty("value").GetString()!);

    // The same for the same file, so that a second migration recognises the event: a UUID of version 8 from its position and its bytes.
    private static Guid IdOf(long position, byte[] bytes)
    {
        Span<byte> hashed = stackalloc byte[sizeof(long) + SHA256.HashSizeInBytes];
        BinaryPrimitives.WriteInt64BigEndian(hashed, position);
        SHA256.HashData(bytes, hashed[sizeof(long)..]);
        Span<byte> id = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(hashed, id);
        id[6] = (byte)(0x80 | (id[6] & 0x0F));
        id[8] = (byte)(0x80 | (id[8] & 0x3F));
        return new Guid(id[..16], bigEndian: true);
    }
}
