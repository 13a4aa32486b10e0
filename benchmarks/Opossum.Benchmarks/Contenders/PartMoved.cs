using System.Text.Json;
using System.Text.Json.Serialization;

namespace Opossum.Benchmarks.Contenders;

/// <summary>The payload that all contenders keep: a part has moved on along the line.</summary>
[EventType("part-moved")]
internal sealed record PartMoved(string Part, string From, string To, int Quantity, string By, string Note);

/// <summary>Writes and reads the payload without reflection, for every contender alike.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
[JsonSerializable(typeof(PartMoved))]
internal sealed partial class PayloadJson : JsonSerializerContext;
