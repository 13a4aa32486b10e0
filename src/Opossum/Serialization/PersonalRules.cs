using System.Globalization;
using System.Reflection;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>The rules that <see cref="PersonalAttribute"/> declares.</summary>
internal static class PersonalRules
{
    /// <summary>The rule of a property, without its placeholder; null: it is not personal.</summary>
    /// <exception cref="InvalidOperationException">
    /// The attribute contradicts its property, or the property's converter hides another one.
    /// </exception>
    public static PersonalRule? Find(JsonTypeInfo type, JsonPropertyInfo property)
    {
        var name = $"{type.Type}.{property.Name}";
        if (DeclaredAttributes.Of<PersonalAttribute>(type, property) is not { } personal)
        {
            if (ConverterContent.IsOwn(property.CustomConverter))
                RefuseHidden(name, property.PropertyType, type.Type.Assembly, property.CustomConverter!.GetType());
            return null;
        }
        try
        {
            NameRules.CheckTagKey(personal.SubjectKey, nameof(personal));
        }
        catch (ArgumentException e)
        {
            throw new InvalidOperationException($"The [Personal] on {name} is not allowed. {e.Message}", e);
        }
        if (DeclaredAttributes.Of<TagAttribute>(type, property) is { IsPseudonym: false } tag)
        {
            throw new InvalidOperationException($"{name} is [Personal] and a tag, {NameRules.Quote(tag.Key)}: a tag is stored "
                + "readable, and stays when the person is forgotten. Make it a pseudonym, [Tag(\"...\", IsPseudonym = true)], or "
                + "remove one of the two.");
        }
        if (property.IsExtensionData)
        {
            throw new InvalidOperationException($"{name} is [Personal] and extension data: its entries are members of their own, "
                + "which cannot be encrypted as a whole. Make it a dictionary, without [JsonExtensionData].");
        }
        return new PersonalRule(personal.SubjectKey, SubjectMember(personal, type, name), Placeholder: null);
    }

    /// <summary>Refuses a type whose own converter hides a personal member from the store.</summary>
    /// <param name="assembly">Where else than beside the converter the classes are that an object may be of.</param>
    /// <exception cref="InvalidOperationException">It hides one; the message names it.</exception>
    public static void RefuseHidden(JsonTypeInfo type, Assembly? assembly = null)
    {
        if (!ConverterContent.IsOwn(type.Converter))
            return;
        var converter = type.Converter.GetType();
        RefuseHidden($"{type.Type}", type.Type, converter.Assembly, converter);
        if (assembly is not null)
            RefuseHidden($"{type.Type}", type.Type, assembly, converter);
    }

    /// <summary>
    /// Refuses a class that implements a personal property of an interface explicitly, and has no property of that name: nothing says which member
    /// of its JSON has the value.
    /// </summary>
    /// <exception cref="InvalidOperationException">It is such a class; the message names the property.</exception>
    public static void RefuseExplicit(Type type)
    {
        var names = DeclaredAttributes.PropertiesOf(type).Select(static each => each.Name).ToHashSet();
        foreach (var property in DeclaredAttributes.InterfacePropertiesOf(type))
        {
            if (!names.Contains(property.Name) && names.Any(each => each.EndsWith($".{property.Name}", StringComparison.Ordinal))
                && property.GetCustomAttribute<PersonalAttribute>(inherit: false) is not null)
            {
                throw new InvalidOperationException($"{type} implements {property.DeclaringType}.{property.Name}, which is [Personal], "
                    + $"explicitly, so nothing says which of its members has the value. Give it a public property {property.Name}.");
            }
        }
    }

    /// <summary>The rule with the placeholder of its property.</summary>
    /// <exception cref="InvalidOperationException">The property can have neither null nor the placeholder.</exception>
    public static PersonalRule WithPlaceholder(PersonalRule rule, JsonTypeInfo type, JsonPropertyInfo property)
    {
        var personal = DeclaredAttributes.Of<PersonalAttribute>(type, property)!;
        return rule with { Placeholder = Placeholder(personal, property, $"{type.Type}.{property.Name}") };
    }

    private static void RefuseHidden(string name, Type content, Assembly assembly, Type converter)
    {
        if (ConverterContent.FindPersonal(content, assembly) is { } hidden)
        {
            throw new InvalidOperationException($"{name} is written by {converter}, which hides what it contains: {hidden} is "
                + "[Personal], and would be stored readable. Move [Personal] to the members that hold such a value, which encrypts "
                + "it as a whole, or do without the converter.");
        }
    }

    private static string? SubjectMember(PersonalAttribute personal, JsonTypeInfo type, string name)
    {
        if (personal.SubjectProperty is not { } subject)
            return null;
        var found = type.Properties.FirstOrDefault(each => (each.AttributeProvider as MemberInfo)?.Name == subject)
            ?? type.Properties.FirstOrDefault(each => each.Name == subject)
            ?? throw new InvalidOperationException($"The [Personal] on {name} names the property {NameRules.Quote(subject)}, "
                + $"which {type.Type} does not have, or which is not in its JSON.");
        return DeclaredAttributes.Of<PersonalAttribute>(type, found) is null ? found.Name
            : throw new InvalidOperationException($"The [Personal] on {name} names the property {subject}, which is personal "
                + "itself: once the person is forgotten, nobody could tell whose data it was. Name a property with an identifier "
                + "that stays.");
    }

    private static JsonNode? Placeholder(PersonalAttribute personal, JsonPropertyInfo property, string name)
    {
        if (personal.Placeholder is not { } placeholder)
        {
            var isNullable = FSharpTypes.InnerOf(property.PropertyType) is not null
                || (!property.PropertyType.IsValueType && property.IsGetNullable);
            return isNullable ? null
                : throw new InvalidOperationException($"{name} is [Personal] and not nullable: make it nullable, or set a "
                    + "Placeholder, which readers get once the person is forgotten.");
        }
        try
        {
            var json = property.Options.TryGetTypeInfo(placeholder.GetType(), out var its)
                ? JsonSerializer.SerializeToNode(placeholder, its)
                : JsonValue.Create(Convert.ToString(placeholder, CultureInfo.InvariantCulture));
            if (property.CustomConverter is null)
                json.Deserialize(property.Options.GetTypeInfo(property.PropertyType));
            return json;
        }
        catch (Exception e) when (e is JsonException or NotSupportedException)
        {
            throw new InvalidOperationException($"The Placeholder of the [Personal] on {name} is not a value of "
                + $"{property.PropertyType}. {e.Message}", e);
        }
    }
}
