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
    private readonly JsonContent content = projection.Content;

    /// <summary>Writes a state as the value of a member of a file's outermost object.</summary>
    public void Write(Utf8JsonWriter writer, string key, TState state)
    {
        if (projection.IsVerified)
            RoundTripCheck.Verify(state, projection.Json);
        if (!content.Shape.IsPersonal && !content.MayHaveAnyMember)
        {
            JsonSerializer.Serialize(writer, state, content.ToWrite);
            return;
        }
        var marked = JsonText.Normalize(JsonSerializer.SerializeToUtf8Bytes(state, content.ToWrite));
        indented.ResetWrittenCount();
        var json = sealer.Seal(projection.Name, key, PersonalValues.InMarked(marked, paths: null), content.Shape.IsPersonal);
        JsonText.WriteIndented(json, indented, depth: 1);
        writer.WriteRawValue(indented.WrittenSpan, skipInputValidation: true);
    }

    /// <summary>Reads a state, or null.</summary>
    /// <param name="reader">The reader, before the value; after it when this returns.</param>
    public TState? Read(ref Utf8JsonReader reader, ReadOnlySpan<byte> file, string key)
    {
        reader.Read();
        if (reader.TokenType == JsonTokenType.Null)
            return null;
        // A name of an encrypted value, or one that was escaped because it looks like that.
        if (file.IndexOf("sealed\":"u8) < 0)
            return JsonSerializer.Deserialize(ref reader, projection.Json);
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        var opened = sealer.Open(projection.Name, key, JsonText.Normalize(file[start..(int)reader.BytesConsumed]));
        var (json, lost) = (opened.Json, opened.Unreadable.ToList());
        return lost.Count == 0 || !content.HasPlaceholders
            ? JsonSerializer.Deserialize(json.Span, projection.Json)
            : content.Shape.WithPlaceholders(JsonNode.Parse(json.Span), new LostPlaces(lost)).Deserialize(projection.Json);
    }
}
