using System.Buffers;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>
/// The JSON of metadata to which an append has added its context: the event's own entries first, then those of the context that it does not have.
/// </summary>
internal static class EnrichedMetadata
{
    /// <summary>Adds a context's entries.</summary>
    /// <param name="own">The event's own entries, which win.</param>
    /// <param name="ownJson">Their JSON; empty when there are none.</param>
    public static byte[] Of(IReadOnlyDictionary<string, string> own, byte[] ownJson, IReadOnlyList<KeyValuePair<string, string>> context)
    {
        var added = Of(context.Where(entry => !own.ContainsKey(entry.Key) && !BelongsToAnother(entry.Key, own)));
        if (added.Length == 0)
            return ownJson;
        return ownJson.Length == 0 ? added : [.. ownJson.AsSpan(0, ownJson.Length - 1), (byte)',', .. added.AsSpan(1)];
    }

    /// <summary>The JSON of entries; empty when there are none.</summary>
    public static byte[] Of(IEnumerable<KeyValuePair<string, string>> entries)
    {
        var buffer = new ArrayBufferWriter<byte>(256);
        using var writer = new Utf8JsonWriter(buffer, ReadableJsonEncoder.InEvents);
        writer.WriteStartObject();
        foreach (var (key, value) in entries)
            writer.WriteString(key, value);
        writer.WriteEndObject();
        writer.Flush();
        return buffer.WrittenCount == 2 ? [] : buffer.WrittenSpan.ToArray();
    }

    /// <summary>Whether metadata are an event's own, in any order, apart from a context that an append has added.</summary>
    public static bool IsOf(ReadOnlySpan<byte> metadata, ReadOnlySpan<byte> own)
    {
        if (metadata.SequenceEqual(own))
            return true;
        var entries = SequencedEvent.EntriesOf(metadata);
        foreach (var (key, value) in SequencedEvent.EntriesOf(own))
        {
            if (!entries.Remove(key, out var stored) || stored != value)
                return false;
        }
        return entries.Keys.All(static key => key is MetadataNames.TraceParent or MetadataNames.TraceState or MetadataNames.CorrelationId
            or MetadataNames.CausationId or MetadataNames.User);
    }

    // A trace state belongs to its trace parent.
    private static bool BelongsToAnother(string key, IReadOnlyDictionary<string, string> own) =>
        key == MetadataNames.TraceState && own.ContainsKey(MetadataNames.TraceParent);
}
