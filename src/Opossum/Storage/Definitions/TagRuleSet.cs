using System.Buffers;
using System.Text;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Storage.Definitions;

/// <summary>Tag rules, and the tags that they give. A set never changes.</summary>
internal sealed class TagRuleSet
{
    /// <summary>The most rules of a store.</summary>
    public const int CountMax = 256;

    private static readonly JsonReaderOptions readerOptions = new() { MaxDepth = JsonText.DepthMax + 2 };

    private readonly Dictionary<string, List<(MemberPath Path, TagRule Rule)>> byType = new(StringComparer.Ordinal);

    private TagRuleSet(TagRule[] rules)
    {
        Rules = rules;
        foreach (var rule in rules)
        {
            if (!byType.TryGetValue(rule.EventType, out var ofType))
                byType.Add(rule.EventType, ofType = []);
            ofType.Add((MemberPath.Parse(rule.Member, nameof(rules)), rule));
        }
    }

    /// <summary>No rules.</summary>
    public static TagRuleSet None { get; } = new([]);

    /// <summary>The rules, each once, in the order of type, member and key.</summary>
    public IReadOnlyList<TagRule> Rules { get; }

    public bool IsEmpty => byType.Count == 0;

    /// <exception cref="ArgumentException">There are too many rules.</exception>
    public static TagRuleSet Of(IEnumerable<TagRule> rules)
    {
        TagRule[] each = [.. rules.Distinct().OrderBy(static rule => rule.EventType, StringComparer.Ordinal)
            .ThenBy(static rule => rule.Member, StringComparer.Ordinal).ThenBy(static rule => rule.Key, StringComparer.Ordinal)];
        if (each.Length > CountMax)
            throw new ArgumentException($"There would be {each.Length} tag rules; a store has at most {CountMax}.", nameof(rules));
        return each.Length == 0 ? None : new TagRuleSet(each);
    }

    public bool IsSameAs(TagRuleSet other) => Rules.SequenceEqual(other.Rules);

    public bool Covers(string type) => byType.ContainsKey(type);

    /// <summary>The tags by which an event is found: its own, then those that the rules give.</summary>
    /// <param name="type">The event's type.</param>
    /// <param name="own">Its own tags; returned as they are where the rules give none.</param>
    /// <param name="json">Its data as stored.</param>
    public Tag[] TagsOf(string type, Tag[] own, ReadOnlySpan<byte> json)
    {
        if (!byType.TryGetValue(type, out var ofType))
            return own;
        var tags = new List<Tag>(own);
        foreach (var (path, rule) in ofType)
            Collect(json, path, rule.Key, tags);
        return tags.Count == own.Length ? own : Tag.Distinct([.. tags]);
    }

    /// <inheritdoc cref="TagsOf(string, Tag[], ReadOnlySpan{byte})"/>
    public Tag[] TagsOf(PreparedEvent e) => TagsOf(e.Type, e.Tags, e.Json);

    /// <summary>A rule whose member is encrypted in an event; null: there is none.</summary>
    public TagRule? FindEncrypted(PreparedEvent e)
    {
        if (!byType.TryGetValue(e.Type, out var ofType) || e.Json.AsSpan().IndexOf(MemberErasure.SealedName) < 0)
            return null;
        return ofType.Find(each => Collect(e.Json, each.Path, each.Rule.Key, [])).Rule;
    }

    /// <summary>The JSON of all rules, as the header of the index has it.</summary>
    public byte[] ToJson()
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, ReadableJsonEncoder.InFiles))
        {
            writer.WriteStartArray();
            foreach (var rule in Rules)
                TagRuleFiles.Write(writer, rule);
            writer.WriteEndArray();
        }
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>Reads what <see cref="ToJson"/> has written; null when it is something else.</summary>
    public static TagRuleSet? Parse(ReadOnlySpan<byte> json) =>
        JsonFile.Parse(json, static rules => Of(rules.EnumerateArray().Select(TagRuleFiles.Read)), out _);

    // Returns whether the path leads to an encrypted value, or through one.
    private static bool Collect(ReadOnlySpan<byte> json, MemberPath path, string key, List<Tag> tags)
    {
        var reader = new Utf8JsonReader(json, readerOptions);
        return reader.Read() && Collect(ref reader, path, 0, key, tags);
    }

    // The reader is at the value to which the steps before have led, and afterwards at its end.
    private static bool Collect(ref Utf8JsonReader reader, MemberPath path, int step, string key, List<Tag> tags)
    {
        if (IsEncrypted(reader))
        {
            reader.Skip();
            return true;
        }
        if (step == path.Steps.Count)
        {
            if (TextOf(ref reader) is { } value && new Tag(key, value) is { IsPseudonym: false } tag)
                tags.Add(tag);
            reader.Skip();
            return false;
        }
        var (name, isInArray) = path.Steps[step];
        if (reader.TokenType != (isInArray ? JsonTokenType.StartArray : JsonTokenType.StartObject))
        {
            reader.Skip();
            return false;
        }
        var anyIsEncrypted = false;
        while (reader.Read() && reader.TokenType is not (JsonTokenType.EndArray or JsonTokenType.EndObject))
        {
            var isWanted = isInArray || name is null || reader.ValueTextEquals(name);
            if (!isInArray)
                reader.Read();
            if (isWanted)
                anyIsEncrypted |= Collect(ref reader, path, step + 1, key, tags);
            else
                reader.Skip();
        }
        return anyIsEncrypted;
    }

    // A copy of the reader: the caller's stays where it is.
    private static bool IsEncrypted(Utf8JsonReader reader) =>
        reader.TokenType == JsonTokenType.StartObject && reader.Read() && reader.TokenType == JsonTokenType.PropertyName
        && reader.ValueTextEquals(MemberErasure.SealedName);

    // Null: it gives no tag.
    private static string? TextOf(ref Utf8JsonReader reader)
    {
        if (reader.TokenType is not (JsonTokenType.String or JsonTokenType.Number or JsonTokenType.True or JsonTokenType.False)
            || reader.ValueSpan.Length > Tag.MaxValueLength * 6)
        {
            return null;
        }
        var text = reader.TokenType == JsonTokenType.String ? reader.GetString()! : Encoding.UTF8.GetString(reader.ValueSpan);
        return text.Length <= Tag.MaxValueLength ? text : null;
    }
}
