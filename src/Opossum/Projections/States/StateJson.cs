using System.Buffers;
using System.Text.Json;
using System.Text.Json.Nodes;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>The JSON of a projection's states, with their personal values encrypted.</summary>
internal sealed class StateJson<TState>(Projection<TState> projection, IStateSealer sealer)
    where TState : class
{
    private readonly ArrayBufferWriter<byte> indented = new();
    private readonly PersonalShape? withPlaceholders = projection.Personal is { HasPlaceholders: true } personal ? personal : null;

    /// <summary>Writes a state as the value of a member of a file's outermost object.</summary>
    public void Write(Utf8JsonWriter writer, string key, TState state)
    {
        if (projection.IsVerified)
            RoundTripCheck.Verify(state, projection.Json);
        if (projection.Personal is null && !projection.MayHaveAnyMember)
        {
            JsonSerializer.Serialize(writer, state, projection.Json);
            return;
        }
        var json = JsonText.Normalize(JsonSerializer.SerializeToUtf8Bytes(state, projection.Json));
        indented.ResetWrittenCount();
        JsonText.WriteIndented(sealer.Seal(projection.Personal, projection.Name, key, json), indented, depth: 1);
        writer.WriteRawValue(indented.WrittenSpan, skipInputValidation: true);
    }

    /// <summary>Reads a state, or null.</summary>
    /// <param name="reader">The reader, before the value; after it when this returns.</param>
    /// <param name="file">The file that it reads.</param>
    /// <param name="key">The state's key.</param>
    public TState? Read(ref Utf8JsonReader reader, ReadOnlySpan<byte> file, string key)
    {
        reader.Read();
        if (reader.TokenType == JsonTokenType.Null)
            return null;
        // A name of an encrypted value, or one that was escaped because it looks like that.
        var isSealed = file.IndexOf("sealed\":"u8) >= 0;
        if (!isSealed && withPlaceholders is null)
            return JsonSerializer.Deserialize(ref reader, projection.Json);
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        var json = JsonText.Normalize(file[start..(int)reader.BytesConsumed]);
        var opened = isSealed ? sealer.Open(projection.Name, key, json).Json : json;
        // Once a person is forgotten, what is written next has null where an encrypted value was.
        return withPlaceholders is null
            ? JsonSerializer.Deserialize(opened.Span, projection.Json)
            : withPlaceholders.WithPlaceholders(JsonNode.Parse(opened.Span)).Deserialize(projection.Json);
    }
}
