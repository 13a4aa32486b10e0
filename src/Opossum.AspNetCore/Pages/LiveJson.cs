using System.Text.Json.Serialization;

namespace Opossum.AspNetCore.Pages;

/// <summary>The JSON of messages to the page's script, whatever the app's own options for JSON are.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(LiveMessage))]
internal sealed partial class LiveJson : JsonSerializerContext;
