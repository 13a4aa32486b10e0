using System.Buffers;
using System.Globalization;
using System.Security.Cryptography;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>A new event, checked and serialized: all parts of an event file that do not depend on its position.</summary>
/// <param name="Type">The type's stable name.</param>
/// <param name="Version">The version of the JSON shape, from 1.</param>
/// <param name="Tags">The tags, each once, in the order given, with the tags declared on the type last.</param>
/// <param name="Json">The data as compact JSON: no white space outside strings, and escapes only where JSON requires them.</param>
/// <param name="Metadata">The metadata as a compact JSON object whose values are strings; empty when there is none.</param>
internal sealed record PreparedEvent(string Type, int Version, Tag[] Tags, Guid Id, byte[] Json, byte[] Metadata)
{
    /// <summary>The metadata without what the append added to it from its context.</summary>
    public byte[] OwnMetadata { get; } = Metadata;

    /// <summary>The personal values in the data, as long as they are not encrypted.</summary>
    public IReadOnlyList<PersonalValue> Personal { get; init; } = [];

    /// <summary>Whether its data or tags need a key, which may have to be read or made.</summary>
    public bool NeedsKeys => Personal.Count > 0 || Tag.HasPseudonym(Tags);

    /// <summary>The number of bytes of its JSON.</summary>
    public long Bytes => (long)Json.Length + Metadata.Length;

    public bool IsSameAs(PreparedEvent other) => IsSameExceptMetadata(other) && HaveSameMembers(Metadata, other.Metadata);

    /// <summary>Equal for events that are the same.</summary>
    public Guid ContentHash()
    {
        using var content = new MemoryStream();
        using (var json = new Utf8JsonWriter(content))
        {
            json.WriteStartArray();
            json.WriteStringValue(Id);
            json.WriteStringValue(Type);
            json.WriteNumberValue(Version);
            foreach (var tag in Tags.Select(static tag => tag.ToString()).Order(StringComparer.Ordinal))
                json.WriteStringValue(tag);
            WriteSorted(json, Json);
            WriteSorted(json, Metadata);
            json.WriteEndArray();
        }
        return new Guid(SHA256.HashData(content.GetBuffer().AsSpan(0, (int)content.Length)).AsSpan(0, 16));
    }

    /// <summary>
    /// Whether this stored event is what an earlier attempt to append the other one stored. A retry has another context than the first attempt, so
    /// what the context added to the metadata does not count.
    /// </summary>
    public bool IsStoredAttemptOf(PreparedEvent other) => IsSameExceptMetadata(other) && EnrichedMetadata.IsOf(Metadata, other.OwnMetadata);

    // The order of a set's elements and of a dictionary's entries may be another one in each process: .NET hashes texts with a random seed.
    private bool IsSameExceptMetadata(PreparedEvent other) =>
        Id == other.Id && Type == other.Type && Version == other.Version && HaveSameElements(Tags, other.Tags)
        && HaveSameMembers(Json, other.Json);

    private static void WriteSorted(Utf8JsonWriter json, byte[] value)
    {
        if (value.Length > 0)
            WriteSorted(json, JsonElement.Parse(value));
    }

    private static void WriteSorted(Utf8JsonWriter json, JsonElement value)
    {
        if (value.ValueKind == JsonValueKind.Number)
        {
            json.WriteRawValue(NumberOf(value.GetRawText()));
        }
        else if (value.ValueKind is not (JsonValueKind.Object or JsonValueKind.Array))
        {
            value.WriteTo(json);
        }
        else if (value.ValueKind == JsonValueKind.Array)
        {
            json.WriteStartArray();
            foreach (var each in value.EnumerateArray())
                WriteSorted(json, each);
            json.WriteEndArray();
        }
        else
        {
            json.WriteStartObject();
            foreach (var each in value.EnumerateObject().OrderBy(static each => each.Name, StringComparer.Ordinal))
            {
                json.WritePropertyName(each.Name);
                WriteSorted(json, each.Value);
            }
            json.WriteEndObject();
        }
    }

    private static bool HaveSameElements(Tag[] one, Tag[] other) =>
        one.AsSpan().SequenceEqual(other) || (one.Length == other.Length && one.ToHashSet().SetEquals(other));

    private static bool HaveSameMembers(byte[] one, byte[] other) =>
        one.AsSpan().SequenceEqual(other) || Sorted(one).SequenceEqual(Sorted(other));

    private static ReadOnlySpan<byte> Sorted(byte[] value)
    {
        var sorted = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(sorted))
            WriteSorted(json, value);
        return sorted.WrittenSpan;
    }

    // The same for 1, 1.0 and 10e-1.
    private static string NumberOf(string text)
    {
        var parts = text.TrimStart('-').Split('e', 'E');
        if (!long.TryParse(parts.ElementAtOrDefault(1) ?? "0", NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var power))
            return text;
        var digits = parts[0].Replace(".", "", StringComparison.Ordinal).TrimEnd('0');
        power += (parts[0].IndexOf('.') is var point and >= 0 ? point : parts[0].Length) - digits.Length;
        digits = digits.TrimStart('0');
        return digits.Length == 0 ? "0" : string.Create(CultureInfo.InvariantCulture, $"{(text[0] == '-' ? "-" : "")}{digits}e{power}");
    }
}
