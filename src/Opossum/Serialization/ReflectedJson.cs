using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>The JSON form of types without a source-generated context: camelCase, public fields too, enums by name.</summary>
[RequiresUnreferencedCode(Why)]
[RequiresDynamicCode(Why)]
internal static class ReflectedJson
{
    private const string Why = "Types without a JsonTypeInfo are serialized by reflection.";

    /// <summary>New options that the caller may change.</summary>
    public static JsonSerializerOptions Create() => new(JsonSerializerDefaults.Web)
    {
        IncludeFields = true,
        Converters = { new JsonStringEnumConverter() },
        TypeInfoResolver = new DefaultJsonTypeInfoResolver(),
    };

    /// <summary>The JSON metadata of the type, read only from JSON that fits it, and with names as readable as all other text.</summary>
    public static JsonTypeInfo<T> Of<T>() => (JsonTypeInfo<T>)strict.GetTypeInfo(typeof(T));

    private static readonly JsonSerializerOptions strict = MakeStrict();

    private static JsonSerializerOptions MakeStrict()
    {
        var options = new JsonSerializerOptions(Create())
        {
            Encoder = ReadableJsonEncoder.Instance,
            TypeInfoResolver = new DefaultJsonTypeInfoResolver { Modifiers = { StructMembers.Complete } },
        };
        StrictMembers.Apply(options);
        // Until then each look makes the metadata again.
        options.MakeReadOnly();
        return options;
    }
}
