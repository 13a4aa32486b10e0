using System.Text.Json.Nodes;
using System.Text.Json.Serialization;

namespace Opossum.Projections.Reading;

/// <summary>A projection of which only the name is known: its states are read as JSON, and it applies no event.</summary>
internal sealed partial class StoredStates(string name) : Projection<JsonNode>(name, NodeJson.Default.JsonNode)
{
    // Their files say whether they have.
    internal override bool HasTags => true;

    [JsonSerializable(typeof(JsonNode))]
    private sealed partial class NodeJson : JsonSerializerContext;
}
