using System.Runtime.CompilerServices;
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
        // A member that is not always written cannot be required when reading.
        if (options.DefaultIgnoreCondition != JsonIgnoreCondition.Never || options.RespectRequiredConstructorParameters)
            return;
        // A property without a setter can be required only so; those that may be missing are taken out again.
        options.RespectRequiredConstructorParameters = true;
        options.TypeInfoResolver = options.TypeInfoResolver!.WithAddedModifier(RequireParameters);
    }

    private static void RequireParameters(JsonTypeInfo type)
    {
        foreach (var property in type.Properties)
        {
            if (property is { AssociatedParameter: { } parameter })
                property.IsRequired = IsAlwaysWritten(property) && (IsPair(type.Type) || !MayBeMissing(parameter));
        }
        foreach (var (property, parameter) in StructMembers.Of(type))
            property.IsRequired = IsAlwaysWritten(property) && (IsPair(type.Type) || !(parameter.HasDefaultValue || IsNullable(property)));
    }

    private static bool IsAlwaysWritten(JsonPropertyInfo property) => property is { Get: not null, ShouldSerialize: null };

    private static bool MayBeMissing(JsonParameterInfo parameter) =>
        parameter.HasDefaultValue || parameter.IsNullable || Nullable.GetUnderlyingType(parameter.ParameterType) is not null;

    private static bool IsNullable(JsonPropertyInfo property) => property.PropertyType.IsValueType
        ? Nullable.GetUnderlyingType(property.PropertyType) is not null
        : property.IsGetNullable;

    // Their members never change, and whether one may be null is known only where they are used.
    private static bool IsPair(Type type) => type.IsAssignableTo(typeof(ITuple))
        || (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(KeyValuePair<,>));
}
