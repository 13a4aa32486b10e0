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
        if (options.DefaultIgnoreCondition is not (JsonIgnoreCondition.Never or JsonIgnoreCondition.WhenWritingNull)
            || options.RespectRequiredConstructorParameters)
        {
            return;
        }
        // A property without a setter can be required only so; those that may be missing are taken out again.
        options.RespectRequiredConstructorParameters = true;
        options.TypeInfoResolver = options.TypeInfoResolver!.WithAddedModifier(RequireParameters);
    }

    private static void RequireParameters(JsonTypeInfo type)
    {
        foreach (var property in type.Properties)
        {
            if (property is { AssociatedParameter: { } parameter })
                property.IsRequired = IsRequired(type.Type, property, parameter.HasDefaultValue, parameter.IsNullable);
        }
        foreach (var (property, parameter) in StructMembers.Of(type))
            property.IsRequired = IsRequired(type.Type, property, parameter.HasDefaultValue, property.IsGetNullable);
    }

    private static bool IsRequired(Type type, JsonPropertyInfo property, bool hasDefaultValue, bool isNullable)
    {
        if (property.Get is null || property.ShouldSerialize is not null)
            return false;
        // Their members never change, and whether one may be null is known only where they are used.
        if (type.IsAssignableTo(typeof(ITuple)) || (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(KeyValuePair<,>)))
            return true;
        if (property.AttributeProvider is { } declared && (declared.IsDefined(typeof(JsonRequiredAttribute), inherit: false)
            || declared.IsDefined(typeof(RequiredMemberAttribute), inherit: false)))
        {
            return true;
        }
        if (property.Options.DefaultIgnoreCondition == JsonIgnoreCondition.WhenWritingNull && !property.PropertyType.IsValueType)
            return false;
        if (hasDefaultValue || FSharpTypes.InnerOf(property.PropertyType) is not null)
            return false;
        // In F# null is not a value of a record's member, and its compiler does not say so.
        return FSharpTypes.IsMapped(type) || property.PropertyType.IsValueType || !isNullable;
    }
}
