using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Opossum.AspNetCore.Pages;

/// <summary>The text of an event's data on its page: with indentation where that stays short, and never longer than a page can show.</summary>
internal static class ShownJson
{
    private const int BytesMax = 64 * 1024;
    private const int IndentedBytesMax = 256 * 1024;
    private const int DepthMax = 1_000;

    public static (string Text, bool IsWhole) Of(ReadOnlySpan<byte> json)
    {
        if (json.Length > BytesMax)
            return (EventRow.Beginning(json, BytesMax), false);
        return (Indent(json) ?? Encoding.UTF8.GetString(json), true);
    }

    // Null: too long or too deep, because a few bytes deep inside take thousands of blanks.
    private static string? Indent(ReadOnlySpan<byte> json)
    {
        var output = new ArrayBufferWriter<byte>();
        using var writer = new Utf8JsonWriter(output,
            new JsonWriterOptions { Indented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, NewLine = "\n", MaxDepth = DepthMax });
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = int.MaxValue });
        while (reader.Read())
        {
            if (reader.CurrentDepth >= DepthMax || writer.BytesCommitted + writer.BytesPending > IndentedBytesMax)
                return null;
            Copy(ref reader, writer);
        }
        writer.Flush();
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    private static void Copy(ref Utf8JsonReader reader, Utf8JsonWriter writer)
    {
        switch (reader.TokenType)
        {
            case JsonTokenType.StartObject:
                writer.WriteStartObject();
                break;
            case JsonTokenType.EndObject:
                writer.WriteEndObject();
                break;
            case JsonTokenType.StartArray:
                writer.WriteStartArray();
                break;
            case JsonTokenType.EndArray:
                writer.WriteEndArray();
                break;
            case JsonTokenType.PropertyName:
                writer.WritePropertyName(reader.GetString()!);
                break;
            case JsonTokenType.String:
                writer.WriteStringValue(reader.GetString());
                break;
            default:
                // Numbers keep all of their digits.
                writer.WriteRawValue(reader.ValueSpan);
                break;
        }
    }
}
