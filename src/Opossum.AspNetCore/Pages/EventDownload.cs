using System.Globalization;
using System.Text.Json;

namespace Opossum.AspNetCore.Pages;

/// <summary>An event as a JSON file: its envelope and its data.</summary>
internal static class EventDownload
{
    public static async Task WriteAsync(PageRequest page, SequencedEvent e)
    {
        var response = page.Http.Response;
        PageRequest.Protect(response);
        response.Headers.CacheControl = "no-store";
        response.Headers.ContentDisposition = string.Create(CultureInfo.InvariantCulture, $"attachment; filename=\"event-{e.Position}.json\"");
        response.ContentType = "application/json";
        var writer = new Utf8JsonWriter(response.BodyWriter);
        await using (writer.ConfigureAwait(false))
        {
            WriteEnvelope(writer, e);
            if (e.Condition is { } condition)
                WriteCondition(writer, condition);
            writer.WritePropertyName("data");
            writer.WriteRawValue(e.StoredJson.Span, skipInputValidation: true);
            writer.WriteEndObject();
            await writer.FlushAsync(page.Cancelled).ConfigureAwait(false);
        }
    }

    private static void WriteEnvelope(Utf8JsonWriter writer, SequencedEvent e)
    {
        writer.WriteStartObject();
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

    private static void WriteTexts(Utf8JsonWriter writer, string name, IEnumerable<string> texts)
    {
        writer.WriteStartArray(name);
        foreach (var text in texts)
            writer.WriteStringValue(text);
        writer.WriteEndArray();
    }
}
