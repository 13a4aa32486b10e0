using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>
/// The members of a struct that its only constructor sets. System.Text.Json creates a struct without its constructor, unless that is marked, so
/// members without a setter are set through their fields.
/// </summary>
internal static class StructMembers
{
    /// <summary>Lets JSON set the members of a struct that have no setter.</summary>
    public static void MakeSettable(JsonTypeInfo type)
    {
        foreach (var (property, _) in Of(type))
        {
            if (property.Set is null && ClassFields.FieldOf(type.Type, property) is { } field && field.FieldType == property.PropertyType)
                property.Set = field.SetValue;
        }
    }

    /// <summary>The members with the constructor's parameters; none if the type is not a struct of this kind.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "Types of contexts that trimming requires are left out.")]
    public static List<(JsonPropertyInfo Property, ParameterInfo Parameter)> Of(JsonTypeInfo type)
    {
        if (type is not { Kind: JsonTypeInfoKind.Object, Type.IsValueType: true, CreateObject: not null }
            || type.OriginatingResolver is not DefaultJsonTypeInfoResolver
            || type.Type.GetConstructors() is not [{ } constructor])
        {
            return [];
        }
        var members = new List<(JsonPropertyInfo Property, ParameterInfo Parameter)>();
        foreach (var parameter in constructor.GetParameters())
        {
            if (type.Properties.FirstOrDefault(each => each.Get is not null && each.PropertyType == parameter.ParameterType
                && string.Equals(ClassFields.NameOf(each), parameter.Name, StringComparison.OrdinalIgnoreCase)) is not { } property)
            {
                return [];
            }
            members.Add((property, parameter));
        }
        return members;
    }
}
