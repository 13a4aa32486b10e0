using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>The text of a state's file.</summary>
internal static class StateFile
{
    /// <summary>Writes all members except the checksum.</summary>
    public static void Write<TState>(Utf8JsonWriter writer, string key, long position, ReadOnlySpan<Tag> tags, TState? state,
        StateJson<TState> json)
        where TState : class
    {
        WriteStart(writer, key, position, tags);
        writer.WritePropertyName("state"u8);
        if (state is null)
            writer.WriteNullValue();
        else
            json.Write(writer, key, state);
    }

    /// <summary>Writes the members that a line of the <see cref="TagLog"/> has too.</summary>
    public static void WriteStart(Utf8JsonWriter writer, string key, long position, ReadOnlySpan<Tag> tags)
    {
        writer.WriteStartObject();
        writer.WriteString("key"u8, key);
        writer.WriteNumber("position"u8, position);
        writer.WriteStartArray("tags"u8);
        foreach (var tag in tags)
            writer.WriteStringValue(tag.ToString());
        writer.WriteEndArray();
    }

    /// <summary>Reads a file whose checksum matches.</summary>
    /// <exception cref="Exception">
    /// The file is not a state's, or the state's JSON does not fit its type: any exception of the serializer or of a converter.
    /// </exception>
    public static StoredState<TState> Read<TState>(ReadOnlySpan<byte> file, StateValue<TState> read)
        where TState : class
    {
        // The state is a level deeper in its file.
        var reader = new Utf8JsonReader(file, new JsonReaderOptions { MaxDepth = JsonText.DepthMax + 1 });
        Expect(ref reader, JsonTokenType.StartObject);
        ExpectMember(ref reader, "key"u8);
        Expect(ref reader, JsonTokenType.String);
        var key = reader.GetString()!;
        KeyFileName.Check(key);
        ExpectMember(ref reader, "position"u8);
        Expect(ref reader, JsonTokenType.Number);
        if (reader.GetInt64() is not (> 0 and var position))
            throw new JsonException("its position is not a number from 1");
        ExpectMember(ref reader, "tags"u8);
        Expect(ref reader, JsonTokenType.StartArray);
        List<Tag>? tags = null;
        while (reader.Read() && reader.TokenType == JsonTokenType.String)
            (tags ??= []).Add(Tag.Parse(reader.GetString()!));
        if (reader.TokenType != JsonTokenType.EndArray)
            throw new JsonException($"a tag was expected at byte {reader.TokenStartIndex}");
        ExpectMember(ref reader, "state"u8);
        var state = read(ref reader, file, key);
        ExpectMember(ref reader, "checksum"u8);
        Expect(ref reader, JsonTokenType.String);
        Expect(ref reader, JsonTokenType.EndObject);
        return new StoredState<TState>(key, position, tags is null ? [] : [.. tags], state);
    }

    private static void Expect(ref Utf8JsonReader reader, JsonTokenType token)
    {
        if (!reader.Read() || reader.TokenType != token)
            throw new JsonException($"{token} was expected at byte {reader.TokenStartIndex}");
    }

    private static void ExpectMember(ref Utf8JsonReader reader, ReadOnlySpan<byte> name)
    {
        if (!reader.Read() || reader.TokenType != JsonTokenType.PropertyName || !reader.ValueTextEquals(name))
            throw new JsonException($"a member is out of place, at byte {reader.TokenStartIndex}");
    }
}
