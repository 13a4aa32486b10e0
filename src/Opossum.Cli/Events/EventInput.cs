using System.Globalization;
using System.Text.Json;

namespace Opossum.Cli.Events;

/// <summary>Reads events to append from JSON: one value, one on each line, or several one after the other.</summary>
/// <param name="source">The source's name, for messages.</param>
/// <param name="type">The type of every event, whose data is the whole value; null when each value names its own.</param>
internal sealed class EventInput(string source, string? type, IReadOnlyList<Tag> tags, IReadOnlyDictionary<string, string> metadata)
{
    /// <exception cref="CliException">The bytes are not JSON in UTF-8, or a value is no event.</exception>
    public List<NewEvent> Read(byte[] bytes)
    {
        if (JsonBytes.FindBadByte(bytes) is { } bad)
        {
            throw new CliException(ExitCode.Usage, string.Create(CultureInfo.InvariantCulture,
                $"{source}, line {LineAt(bytes, bad) + 1}: {JsonBytes.NotUtf8} Nothing was appended."));
        }
        bytes = JsonBytes.WithoutByteOrderMark(bytes);
        // An event that names its type has its data one level deep.
        var depthMax = type is null ? JsonBytes.DataDepthMax + 1 : JsonBytes.DataDepthMax;
        var reader = new Utf8JsonReader(bytes, new JsonReaderOptions { AllowMultipleValues = true, MaxDepth = depthMax });
        var events = new List<NewEvent>();
        while (true)
        {
            // What the line of an error counts from: that of the whole input, or that of a value.
            var firstLine = 0L;
            try
            {
                if (!reader.Read())
                    return events;
                var start = (int)reader.TokenStartIndex;
                reader.Skip();
                firstLine = LineAt(bytes, start);
                var json = bytes.AsSpan(start..(int)reader.BytesConsumed);
                var value = JsonElement.Parse(json, JsonBytes.Options with { MaxDepth = depthMax });
                JsonBytes.ThrowIfHalfCharacter(json);
                events.Add(type is null ? OfEnvelope(value) : New(type, value, 1, tags, metadata));
            }
            // A half of a surrogate pair, escaped, is an InvalidOperationException.
            catch (Exception e) when (e is JsonException or ArgumentException or InvalidOperationException)
            {
                var line = e is JsonException { LineNumber: { } number } ? firstLine + number : LineAt(bytes, reader.TokenStartIndex);
                throw Wrong(string.Create(CultureInfo.InvariantCulture,
                    $"{source}, line {line + 1}, event {events.Count + 1}: {Trim(e.Message)} Nothing was appended."), e);
            }
        }
    }

    private NewEvent OfEnvelope(JsonElement value)
    {
        const string Shape = """Write {"type":"...","tags":["key:value"],"data":{...}}, or pass --type and only the data.""";
        if (value.ValueKind != JsonValueKind.Object)
            throw new ArgumentException($"This is no object with type and data. {Shape}");
        foreach (var member in value.EnumerateObject())
        {
            if (member.Name is "position" or "timestamp" or "id")
                throw new ArgumentException($"The store gives each event its {member.Name}, so it cannot be appended. Remove it.");
            if (member.Name is not ("type" or "version" or "tags" or "metadata" or "data"))
                throw new ArgumentException($"An event has no member \"{member.Name}\". {Shape}");
        }
        if (!value.TryGetProperty("type", out var named) || named.ValueKind != JsonValueKind.String || !value.TryGetProperty("data", out var data))
            throw new ArgumentException($"The event has no type or no data. {Shape}");
        return New(named.GetString()!, data, VersionOf(value), [.. TagsOf(value), .. tags], MetadataOf(value));
    }

    private static NewEvent New(string type, JsonElement data, int version, IEnumerable<Tag> tags,
        IReadOnlyDictionary<string, string> metadata)
    {
        // The append refuses it, and a dry run does not append.
        if (tags.FirstOrDefault(static tag => tag.Key.StartsWith('$')) is { Key: { } reserved })
        {
            throw new ArgumentException($"The tag key \"{reserved}\" begins with '$', as only the keys of tags do that "
                + "the store itself gives. Choose another key.");
        }
        if (type == PersonForgotten.Name)
            throw new ArgumentException($"Events of the type {type} are the store's own. \"opossum forget\" appends one.");
        return NewEvent.FromJson(type, data.GetRawText(), version, [.. tags.Distinct()]) with { Metadata = metadata };
    }

    private static int VersionOf(JsonElement value) => !value.TryGetProperty("version", out var version) ? 1
        : version.ValueKind == JsonValueKind.Number && version.TryGetInt32(out var number) ? number
        : throw new ArgumentException("The version is not a number from 1.");

    private static List<Tag> TagsOf(JsonElement value)
    {
        if (!value.TryGetProperty("tags", out var written))
            return [];
        if (written.ValueKind != JsonValueKind.Array || written.EnumerateArray().Any(static each => each.ValueKind != JsonValueKind.String))
            throw new ArgumentException("""The tags are not a list of texts. Write "tags":["key:value"].""");
        return [.. written.EnumerateArray().Select(static each => Tag.Parse(each.GetString()!))];
    }

    private Dictionary<string, string> MetadataOf(JsonElement value)
    {
        var entries = new Dictionary<string, string>(metadata, StringComparer.Ordinal);
        if (!value.TryGetProperty("metadata", out var written))
            return entries;
        if (written.ValueKind != JsonValueKind.Object || written.EnumerateObject().Any(static each => each.Value.ValueKind != JsonValueKind.String))
            throw new ArgumentException("""The metadata is not an object of texts. Write "metadata":{"key":"value"}.""");
        foreach (var entry in written.EnumerateObject())
            entries.TryAdd(entry.Name, entry.Value.GetString()!);
        return entries;
    }

    private static long LineAt(byte[] bytes, long index) => bytes.AsSpan(0, (int)Math.Min(index, bytes.Length)).Count((byte)'\n');

    // The reader adds the place, which the message begins with, and the parameter's name means nothing to a user.
    private static string Trim(string message)
    {
        var at = message.IndexOf(" LineNumber:", StringComparison.Ordinal);
        if (at < 0)
            at = message.IndexOf(" (Parameter '", StringComparison.Ordinal);
        return at < 0 ? message : message[..at];
    }

    private static CliException Wrong(string message, Exception cause) => new(ExitCode.Usage, message, cause);
}
