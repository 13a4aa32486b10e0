using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Events;

/// <summary>Writes events: a line each, as text or as JSON.</summary>
/// <param name="typeWidth">The width of the types' column in text.</param>
/// <param name="head">The last position, for the width of the positions' column in text.</param>
/// <param name="isDecrypted">Whether personal data is written decrypted; otherwise as it is stored.</param>
internal sealed class EventWriter(Terminal terminal, bool asJson, int typeWidth, long head, bool isDecrypted)
{
    private static readonly JsonWriterOptions jsonOptions = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true };

    private const int DataWidthMin = 40;

    private readonly int positionWidth = Text.Of(head).Length;
    private readonly ArrayBufferWriter<byte> buffer = new();

    /// <summary>A writer whose columns fit the types of a store.</summary>
    public static EventWriter For(Terminal terminal, bool asJson, StoreStatus status, bool isDecrypted = false) =>
        new(terminal, asJson, Math.Min(40, status.EventTypes.Select(static each => each.EventType.Length).DefaultIfEmpty(0).Max()), status.Head,
            isDecrypted);

    public void Write(SequencedEvent written)
    {
        if (asJson)
            WriteJson(written);
        else
            WriteText(written);
    }

    /// <summary>Writes an event's members into a JSON object: those of its file, except commit and checksum.</summary>
    /// <param name="isDecrypted">Whether personal data is written decrypted; otherwise as it is stored.</param>
    public static void WriteMembers(Utf8JsonWriter json, SequencedEvent written, bool isDecrypted)
    {
        json.WriteNumber("position"u8, written.Position);
        json.WriteString("type"u8, written.Type);
        json.WriteNumber("version"u8, written.Version);
        json.WriteStartArray("tags"u8);
        foreach (var tag in written.Tags)
            json.WriteStringValue(tag.ToString());
        json.WriteEndArray();
        json.WriteString("timestamp"u8, written.Timestamp.UtcDateTime);
        json.WriteString("id"u8, written.Id);
        if (written.Condition is { } condition)
            WriteCondition(json, condition);
        json.WriteStartObject("metadata"u8);
        foreach (var (key, value) in written.Metadata)
            json.WriteString(key, value);
        json.WriteEndObject();
        json.WritePropertyName("data"u8);
        json.WriteRawValue(DataOf(written, isDecrypted).Span, skipInputValidation: true);
    }

    /// <summary>An event's data: as it is stored, unless it is to be decrypted.</summary>
    public static ReadOnlyMemory<byte> DataOf(SequencedEvent written, bool isDecrypted) => isDecrypted ? written.Json : written.StoredJson;

    private static void WriteCondition(Utf8JsonWriter json, AppendCondition condition)
    {
        json.WriteStartObject("condition"u8);
        json.WriteNumber("after"u8, condition.After ?? 0);
        json.WriteStartArray("query"u8);
        foreach (var item in condition.FailIfEventsMatch.Items)
        {
            json.WriteStartObject();
            WriteTexts("types", item.Types);
            WriteTexts("tags", item.Tags.Select(static tag => tag.ToString()));
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();

        void WriteTexts(string name, IEnumerable<string> texts)
        {
            json.WriteStartArray(name);
            foreach (var text in texts)
                json.WriteStringValue(text);
            json.WriteEndArray();
        }
    }

    private void WriteJson(SequencedEvent written)
    {
        buffer.ResetWrittenCount();
        using (var json = new Utf8JsonWriter(buffer, jsonOptions))
        {
            json.WriteStartObject();
            WriteMembers(json, written, isDecrypted);
            json.WriteEndObject();
        }
        terminal.Out.WriteLine(Encoding.UTF8.GetString(buffer.WrittenSpan));
    }

    private void WriteText(SequencedEvent written)
    {
        var position = Text.Of(written.Position).PadLeft(positionWidth);
        var time = Text.Of(written.Timestamp);
        var type = Text.Visible(written.Type);
        var tags = Text.Visible(string.Join(" ", written.Tags));
        var data = Text.Visible(Encoding.UTF8.GetString(DataOf(written, isDecrypted).Span));
        var room = terminal.Width - position.Length - time.Length - Math.Max(typeWidth, type.Length) - 6;
        terminal.Out.WriteLine(string.Join("  ",
            terminal.Paint(Style.Bold, position),
            terminal.Paint(Style.Dim, time),
            terminal.Paint(Style.Cyan, type) + new string(' ', Math.Max(0, typeWidth - type.Length)),
            PaintEnd(tags, data, room)));
    }

    // On a screen nothing wraps: data that has too little room beside the tags has a line of its own.
    private string PaintEnd(string tags, string data, int room)
    {
        if (!terminal.IsScreen)
            return tags.Length == 0 ? data : $"{tags}  {data}";
        var left = tags.Length == 0 ? room : room - tags.Length - 2;
        if (left >= Math.Min(data.Length, DataWidthMin))
            return tags.Length == 0 ? terminal.Cut(data, left) : $"{terminal.Paint(Style.Yellow, tags)}  {terminal.Cut(data, left)}";
        var indent = new string(' ', positionWidth + 2);
        return terminal.Paint(Style.Yellow, terminal.Cut(tags, room)) + terminal.Out.NewLine + indent
            + terminal.Cut(data, terminal.Width - indent.Length);
    }
}
