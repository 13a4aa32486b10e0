using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>
/// The one search for attributes of properties. The nearest declaration counts: that of the property itself, then those of
/// the properties of this name in the base classes, overridden or hidden, then that of an interface that the class
/// implements.
/// </summary>
internal static class DeclaredAttributes
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public
        | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private const string Kept = "The accessors of what is in the JSON or in a tag are used, so an app that is trimmed keeps "
        + "them. An interface's property that was trimmed is not found, as docs/forgetting.md says.";

    /// <summary>The attribute of a property in JSON.</summary>
    /// <exception cref="InvalidOperationException">Two interfaces declare different ones.</exception>
    public static T? Of<T>(JsonTypeInfo type, JsonPropertyInfo property)
        where T : Attribute => property.AttributeProvider switch
        {
            MemberInfo member => Find<T>(type.Type, member.Name)?.Attribute,
            { } other => other.GetCustomAttributes(typeof(T), inherit: false).OfType<T>().FirstOrDefault(),
            null => null,
        };

    /// <summary>The attribute of the property of a name, and the property that declares it; null: there is none.</summary>
    /// <exception cref="InvalidOperationException">Two interfaces declare different ones.</exception>
    public static (T Attribute, PropertyInfo On)? Find<T>(Type type, string name)
        where T : Attribute
    {
        foreach (var property in PropertiesOf(type).Where(each => each.Name == name))
        {
            if (property.GetCustomAttribute<T>(inherit: false) is { } attribute)
                return (attribute, property);
        }
        (T Attribute, PropertyInfo On)? found = null;
        foreach (var property in InterfacePropertiesOf(type).Where(each => each.Name == name))
        {
            if (property.GetCustomAttribute<T>(inherit: false) is not { } attribute)
                continue;
            if (found is var (known, on) && !known.Equals(attribute))
            {
                var what = typeof(T).Name[..^nameof(Attribute).Length];
                throw new InvalidOperationException($"{type}.{name} has a different [{what}] from {on.DeclaringType} and from "
                    + $"{property.DeclaringType}: declare the attribute on the property itself.");
            }
            found ??= (attribute, property);
        }
        return found;
    }

    /// <summary>The properties of a class, also private ones, and those of its base classes after them.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = Kept)]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = Kept)]
    public static IEnumerable<PropertyInfo> PropertiesOf(Type type)
    {
        for (var each = type; each is not null; each = each.BaseType)
        {
            foreach (var property in each.GetProperties(Declared))
                yield return property;
        }
    }

    /// <summary>The properties of the interfaces that a class implements, or an interface extends.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = Kept)]
    public static IEnumerable<PropertyInfo> InterfacePropertiesOf(Type type) =>
        type.GetInterfaces().SelectMany(PropertiesOf);
}
