using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>
/// The members of a struct that its only constructor sets. System.Text.Json creates a struct without its constructor, unless that is marked, so
/// members without a setter are set through their fields, and what the JSON lacks has the values that the constructor gives.
/// </summary>
internal static class StructMembers
{
    /// <summary>Lets JSON set the members of a struct that have no setter, and gives those that it lacks their default values.</summary>
    public static void Complete(JsonTypeInfo type)
    {
        var members = Of(type);
        foreach (var (property, _) in members)
        {
            if (property.Set is null && ClassFields.FieldOf(type.Type, property) is { } field && field.FieldType == property.PropertyType)
                property.Set = field.SetValue;
        }
        // Only where the constructor may add something: it is called by reflection.
        if (members.Count > 0 && (members.Exists(static each => each.Parameter.HasDefaultValue) || type.Properties.Count > members.Count))
            type.CreateObject = CreatorOf(members, type.CreateObject!);
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

    // A constructor may refuse such values. Then it is not used, as the members that it takes are.
    private static Func<object> CreatorOf(List<(JsonPropertyInfo Property, ParameterInfo Parameter)> members, Func<object> createBlank)
    {
        var (constructor, values) = ((ConstructorInfo)members[0].Parameter.Member, members.ConvertAll(static each => DefaultOf(each.Parameter)));
        try
        {
            Construct();
            return Construct;
        }
        catch (TargetInvocationException)
        {
            return SetDefaults;
        }

        object Construct() => constructor.Invoke([.. values]);

        object SetDefaults()
        {
            var made = createBlank();
            for (var at = 0; at < values.Count; at++)
            {
                if (values[at] is { } value)
                    members[at].Property.Set?.Invoke(made, value);
            }
            return made;
        }
    }

    // Null, which stands for the default value of any type, if it has none of its own. That of an enum that may be null is a number.
    private static object? DefaultOf(ParameterInfo parameter) => !parameter.HasDefaultValue ? null
        : parameter.DefaultValue is { } value && Nullable.GetUnderlyingType(parameter.ParameterType) is { IsEnum: true } type
            ? Enum.ToObject(type, value)
            : parameter.DefaultValue;
}
