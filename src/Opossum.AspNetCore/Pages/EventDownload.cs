using System.Text.Json;

namespace Opossum.AspNetCore.Pages;

/// <summary>An event as a JSON file: its envelope and its data.</summary>
internal static class EventDownload
{
    public static Task WriteAsync(PageRequest page, SequencedEvent e) =>
        page.WriteDownloadAsync(FormattableString.Invariant($"event-{e.Position}"), writer =>
        {
            WriteEnvelope(writer, e);
            if (e.Condition is { } condition)
                WriteCondition(writer, condition);
            writer.WritePropertyName("data");
            writer.WriteRawValue(e.StoredJson.Span, skipInputValidation: true);
        });

    private static void WriteEnvelope(Utf8JsonWriter writer, SequencedEvent e)
    {
        writer.WriteNumber("position", e.Position);
        writer.WriteString("id", e.Id);
        writer.WriteString("type", e.Type);
        writer.WriteNumber("version", e.Version);
        writer.WriteString("timestamp", e.Timestamp);
        WriteTexts(writer, "tags", e.Tags.Select(static tag => tag.ToString()));
        writer.WriteStartObject("metadata");
        foreach (var (name, value) in e.Metadata)
            writer.WriteString(name, value);
        writer.WriteEndObject();
    }

    private static void WriteCondition(Utf8JsonWriter writer, AppendCondition condition)
    {
        writer.WriteStartObject("condition");
        writer.WriteNumber("after", condition.After ?? 0);
        writer.WriteStartArray("query");
        foreach (var item in condition.FailIfEventsMatch.Items)
        {
            writer.WriteStartObject();
            WriteTexts(writer, "types", item.Types);
            WriteTexts(writer, "tags", item.Tags.Select(static tag => tag.ToString()));
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    public static void WriteTexts(Utf8JsonWriter writer, string name, IEnumerable<string> texts)
    {
        writer.WriteStartArray(name);
        foreach (var text in texts)
            writer.WriteStringValue(text);
        writer.WriteEndArray();
    }
}
