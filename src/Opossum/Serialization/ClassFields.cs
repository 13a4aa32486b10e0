using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>The instance fields of a class, and which of its JSON's members is stored in which.</summary>
internal static class ClassFields
{
    private const string AutomaticEnding = "k__BackingField";
    private const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>The fields whose value JSON does not bring back, and that are not marked as ignored.</summary>
    public static IEnumerable<FieldInfo> NotRead(JsonTypeInfo type)
    {
        for (var each = type.Type; each is not null && each != typeof(object) && each != typeof(ValueType); each = each.BaseType)
        {
            foreach (var field in FieldsOf(each))
            {
                if (!field.FieldType.IsAssignableTo(typeof(Delegate)) && !IsIgnored(type.Type, field)
                    && !type.Properties.Any(property => IsRead(type, property) && IsIn(property, field)))
                {
                    yield return field;
                }
            }
        }
    }

    /// <summary>The fields and properties that are marked to be in the JSON.</summary>
    public static IEnumerable<MemberInfo> Included(Type type)
    {
        for (var each = type; each is not null; each = each.BaseType)
        {
            foreach (var member in PropertiesOf(each).Concat<MemberInfo>(FieldsOf(each)))
            {
                if (member.IsDefined(typeof(JsonIncludeAttribute), inherit: false) && !IsAlwaysIgnored(member))
                    yield return member;
            }
        }
    }

    /// <summary>The constructor that is marked to be used by a reader; null: none is.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "What trimming has removed, it warned of, or nothing uses.")]
    public static ConstructorInfo? MarkedConstructor(Type type) =>
        type.GetConstructors(Declared).FirstOrDefault(static each => each.IsDefined(typeof(JsonConstructorAttribute), inherit: false));

    /// <summary>Whether reading JSON sets the member.</summary>
    public static bool IsRead(JsonTypeInfo type, JsonPropertyInfo property) =>
        property.Set is not null || property.AssociatedParameter is not null || IsPopulated(type, property);

    /// <summary>Whether reading JSON adds to the value that the class gives the member.</summary>
    public static bool IsPopulated(JsonTypeInfo type, JsonPropertyInfo property) => (property.ObjectCreationHandling
        ?? type.PreferredPropertyObjectCreationHandling
        ?? property.Options.PreferredObjectCreationHandling) == JsonObjectCreationHandling.Populate;

    /// <summary>The field in which a member is stored, by its name; null: it has none of its own.</summary>
    public static FieldInfo? FieldOf(Type type, JsonPropertyInfo property)
    {
        for (var each = type; each is not null; each = each.BaseType)
        {
            if (FieldsOf(each).FirstOrDefault(field => IsIn(property, field)) is { } found)
                return found;
        }
        return null;
    }

    public static string NameOf(JsonPropertyInfo property) => (property.AttributeProvider as MemberInfo)?.Name ?? property.Name;

    /// <summary>Whether the compiler made the field for a property.</summary>
    public static bool IsAutomatic(FieldInfo field) => field.Name.EndsWith(AutomaticEnding, StringComparison.Ordinal);

    /// <summary>Whether a property of its class is stored in the field.</summary>
    /// <param name="isSet">Whether only a property counts that anybody may set, if the compiler did not make the field for it.</param>
    public static bool IsOfProperty(FieldInfo field, bool isSet = false) => IsAutomatic(field) || PropertiesOf(field.DeclaringType!).Any(property =>
        IsIn(property, field) && (isSet ? property.SetMethod is { IsPublic: true } : !MayBeCache(property, field)));

    /// <summary>The name of the property that is stored in the field, as compilers and people name fields.</summary>
    public static string PropertyNameOf(FieldInfo field) => field.Name switch
    {
        // C#: <Name>k__BackingField, and <name>P for a parameter of the class.
        ['<', .. var rest] when rest.IndexOf('>') is > 0 and var end => rest[..end],
        // F#: Name@.
        [.. var name, '@'] => name,
        ['m', '_', .. var name] => name,
        // Visual Basic too.
        ['_', .. var name] => name,
        var name => name,
    };

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A field that trimming has removed has no value to lose.")]
    private static FieldInfo[] FieldsOf(Type type) => type.GetFields(Declared);

    // A property that hides the one of a base class is not stored in that one's field; one that overrides it may be.
    private static bool IsIn(PropertyInfo property, FieldInfo field) =>
        HasName(field, property.Name) && (property.DeclaringType == field.DeclaringType || IsOverride(property));

    // total ??= Lines.Sum(): only the class itself reads such a property.
    private static bool MayBeCache(PropertyInfo property, FieldInfo field) =>
        property is { SetMethod: null, GetMethod.IsPrivate: true } && !field.IsInitOnly;

    private static bool IsIn(JsonPropertyInfo property, FieldInfo field) => property.AttributeProvider switch
    {
        FieldInfo own => own.Name == field.Name && own.DeclaringType == field.DeclaringType,
        PropertyInfo own => IsIn(own, field),
        _ => HasName(field, property.Name),
    };

    private static bool HasName(FieldInfo field, string name) => string.Equals(PropertyNameOf(field), name, StringComparison.OrdinalIgnoreCase);

    private static bool IsOverride(PropertyInfo property) =>
        (property.GetMethod ?? property.SetMethod) is { } accessor && accessor.GetBaseDefinition().DeclaringType != accessor.DeclaringType;

    // As the serializer does, only the nearest property counts: one that overrides it has no attribute of the one in a base class.
    private static bool IsIgnored(Type type, FieldInfo field)
    {
        if (IsAlwaysIgnored(field))
            return true;
        var owner = field.DeclaringType!;
        for (var each = type; each is not null && each.IsAssignableTo(owner); each = each.BaseType)
        {
            if (PropertiesOf(each).Where(property => IsIn(property, field)).ToList() is { Count: > 0 } properties)
                return properties.Exists(IsAlwaysIgnored);
        }
        return false;
    }

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A property that trimming has removed has no attribute to find.")]
    private static PropertyInfo[] PropertiesOf(Type type) => type.GetProperties(Declared);

    private static bool IsAlwaysIgnored(MemberInfo member) =>
        member.GetCustomAttribute<JsonIgnoreAttribute>(inherit: false)
            is { Condition: JsonIgnoreCondition.Always or JsonIgnoreCondition.WhenWriting };
}
