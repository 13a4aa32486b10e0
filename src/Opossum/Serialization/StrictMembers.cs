using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>Refuses JSON whose members do not match the class: otherwise a renamed member would silently be read as null or 0.</summary>
internal static class StrictMembers
{
    /// <summary>Makes options strict that have a resolver and are not in use yet.</summary>
    public static void Apply(JsonSerializerOptions options)
    {
        options.UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow;
        options.TypeInfoResolver = options.TypeInfoResolver!.WithAddedModifier(RequireParameters);
    }

    // A member that is not always written cannot be required when reading.
    private static void RequireParameters(JsonTypeInfo type)
    {
        if (type.Options.DefaultIgnoreCondition != JsonIgnoreCondition.Never)
            return;
        foreach (var property in type.Properties)
        {
            if (property is { AssociatedParameter: { } parameter, Get: not null, ShouldSerialize: null } && !MayBeMissing(parameter))
                property.IsRequired = true;
        }
    }

    private static bool MayBeMissing(JsonParameterInfo parameter) =>
        parameter.HasDefaultValue || parameter.IsNullable || Nullable.GetUnderlyingType(parameter.ParameterType) is not null;
}
