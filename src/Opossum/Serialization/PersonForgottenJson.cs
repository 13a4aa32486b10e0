using System.Text.Json;
using System.Text.Json.Serialization;

namespace Opossum.Serialization;

/// <summary>The JSON of the library's own event.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
[JsonSerializable(typeof(PersonForgotten))]
internal sealed partial class PersonForgottenJson : JsonSerializerContext;
