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
        writer.WriteStartArray("tags");
        foreach (var tag in e.Tags)
            writer.WriteStringValue(tag.ToString());
        writer.WriteEndArray();
        writer.WriteStartObject("metadata");
        foreach (var (name, value) in e.Metadata)
            writer.WriteString(name, value);
        writer.WriteEndObject();
    }
}
