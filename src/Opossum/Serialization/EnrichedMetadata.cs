using System.Buffers;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>
/// The JSON of metadata to which an append has added its context: the event's own entries first, then those of the context that it does not have.
/// </summary>
internal static class EnrichedMetadata
{
    private static readonly JsonWriterOptions writerOptions = new() { Encoder = ReadableJsonEncoder.Instance, SkipValidation = true };

    /// <summary>Adds a context's entries.</summary>
    /// <param name="own">The event's own entries, which win.</param>
    /// <param name="ownJson">Their JSON; empty when there are none.</param>
    /// <param name="context">The entries to add.</param>
    public static byte[] Of(IReadOnlyDictionary<string, string> own, byte[] ownJson, IReadOnlyList<KeyValuePair<string, string>> context)
    {
        var buffer = new ArrayBufferWriter<byte>(ownJson.Length + 256);
        using var writer = new Utf8JsonWriter(buffer, writerOptions);
        writer.WriteStartObject();
        foreach (var (key, value) in context)
        {
            if (!own.ContainsKey(key) && !BelongsToAnother(key, own))
                writer.WriteString(key, value);
        }
        writer.WriteEndObject();
        writer.Flush();
        var added = buffer.WrittenSpan;
        if (added.Length <= 2)
            return ownJson;
        return ownJson.Length == 0 ? added.ToArray() : [.. ownJson.AsSpan(0, ownJson.Length - 1), (byte)',', .. added[1..]];
    }

    /// <summary>Whether metadata are an event's own, apart from a context that an append has added.</summary>
    /// <param name="metadata">The metadata as stored.</param>
    /// <param name="own">The event's own metadata.</param>
    public static bool IsOf(ReadOnlySpan<byte> metadata, ReadOnlySpan<byte> own)
    {
        if (metadata.SequenceEqual(own))
            return true;
        var beginning = own.IsEmpty ? "{"u8 : own[..^1];
        if (!metadata.StartsWith(beginning))
            return false;
        var reader = new Utf8JsonReader(metadata);
        while (reader.Read())
        {
            if (reader.TokenType == JsonTokenType.PropertyName && reader.TokenStartIndex >= beginning.Length && !IsAdded(ref reader))
                return false;
        }
        return true;
    }

    // A trace state belongs to its trace parent.
    private static bool BelongsToAnother(string key, IReadOnlyDictionary<string, string> own) =>
        key == MetadataNames.TraceState && own.ContainsKey(MetadataNames.TraceParent);

    private static bool IsAdded(ref Utf8JsonReader name) => name.ValueTextEquals(MetadataNames.TraceParent)
        || name.ValueTextEquals(MetadataNames.TraceState) || name.ValueTextEquals(MetadataNames.CorrelationId)
        || name.ValueTextEquals(MetadataNames.CausationId);
}
