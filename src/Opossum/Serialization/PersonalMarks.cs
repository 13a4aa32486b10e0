using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>
/// Marks personal members in the JSON that the serializer writes, each by a member in front of it: so they are found wherever
/// they are, also in values whose class no declaration names. <see cref="PersonalValues"/> takes the marks out again.
/// </summary>
internal static class PersonalMarks
{
    // No data have a member of this name: it is another one in each process.
    private static readonly string prefix = $"opossum-personal-{Guid.NewGuid():N}-";
    private static readonly byte[] prefixUtf8 = Encoding.UTF8.GetBytes(prefix);

    private static readonly ConditionalWeakTable<JsonSerializerOptions, JsonSerializerOptions> marking = [];

    public static JsonTypeInfo Of(JsonTypeInfo type) => marking.GetValue(type.Options, MarkingOf).GetTypeInfo(type.Type);

    public static bool AreIn(ReadOnlySpan<byte> json) => json.IndexOf(prefixUtf8) >= 0;

    public static bool IsMark(ref Utf8JsonReader name) => name.ValueSpan.StartsWith(prefixUtf8);

    /// <summary>Reads a mark.</summary>
    /// <param name="reader">The reader, at the mark's name; at its value when this returns.</param>
    /// <returns>The marked member of the same object, and its rule.</returns>
    public static (string Member, PersonalRule Rule) Read(ref Utf8JsonReader reader)
    {
        var member = reader.GetString()![prefix.Length..];
        reader.Read();
        return (member, PersonalRule.Parse(reader.GetString()!));
    }

    // With an encoder the serializer does not use the code that a context generates for writing, which would leave out the marks.
    private static JsonSerializerOptions MarkingOf(JsonSerializerOptions given) => new(given)
    {
        Encoder = ReadableJsonEncoder.Instance,
        TypeInfoResolver = given.TypeInfoResolver!.WithAddedModifier(Mark),
    };

    private static void Mark(JsonTypeInfo type)
    {
        if (type.Kind == JsonTypeInfoKind.None)
            PersonalRules.RefuseHidden(type);
        if (type.Kind != JsonTypeInfoKind.Object)
            return;
        PersonalRules.RefuseExplicit(type.Type);
        for (var at = type.Properties.Count - 1; at >= 0; at--)
        {
            var property = type.Properties[at];
            if (PersonalRules.Find(type, property) is { } rule)
                type.Properties.Insert(at, MarkOf(type, property, rule));
        }
    }

    private static JsonPropertyInfo MarkOf(JsonTypeInfo type, JsonPropertyInfo property, PersonalRule rule)
    {
        var text = rule.Text;
        var mark = JsonMetadataServices.CreatePropertyInfo(type.Options, new JsonPropertyInfoValues<string>
        {
            IsProperty = true,
            IsPublic = true,
            DeclaringType = type.Type,
            PropertyTypeInfo =
                JsonMetadataServices.CreateValueInfo<string>(type.Options, JsonMetadataServices.StringConverter),
            Getter = _ => text,
            IgnoreCondition = JsonIgnoreCondition.Never,
            PropertyName = prefix + property.Name,
            JsonPropertyName = prefix + property.Name,
        });
        mark.Order = property.Order;
        return mark;
    }
}
