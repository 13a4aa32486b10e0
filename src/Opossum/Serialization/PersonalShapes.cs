using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>
/// Finds the personal members of a CLR type's JSON, by <see cref="PersonalAttribute"/> on its properties and on those of the types in it.
/// </summary>
internal sealed class PersonalShapes
{
    private readonly Dictionary<Type, PersonalShape> shapes = [];
    private bool hasOpenNames;

    private PersonalShapes()
    {
    }

    /// <summary>The shape of a type; null when nothing in it is personal.</summary>
    /// <exception cref="InvalidOperationException">An attribute contradicts its property.</exception>
    public static PersonalShape? Of(JsonTypeInfo type) => Of(type, out _);

    /// <summary>The shape of a type; null when nothing in it is personal.</summary>
    /// <param name="type">The type.</param>
    /// <param name="mayHaveAnyMember">Whether its JSON may have members whose names only its data know.</param>
    /// <exception cref="InvalidOperationException">An attribute contradicts its property.</exception>
    public static PersonalShape? Of(JsonTypeInfo type, out bool mayHaveAnyMember)
    {
        var shapes = new PersonalShapes();
        var shape = shapes.Make(type);
        mayHaveAnyMember = shapes.hasOpenNames;
        return shape.TryPrune() ? shape : null;
    }

    private PersonalShape Make(JsonTypeInfo type)
    {
        if (shapes.TryGetValue(type.Type, out var known))
            return known;
        var shape = shapes[type.Type] = new PersonalShape();
        hasOpenNames |= type.Kind == JsonTypeInfoKind.Dictionary || (type.Kind == JsonTypeInfoKind.None && !IsScalar(type.Type));
        if (type.Kind == JsonTypeInfoKind.Object)
        {
            foreach (var property in type.Properties)
                Add(shape, type, property);
        }
        else if (type is { Kind: JsonTypeInfoKind.Enumerable, ElementType: { } element })
        {
            shape.Elements = MakeIfKnown(type, element);
        }
        else if (type is { Kind: JsonTypeInfoKind.Dictionary, ElementType: { } value })
        {
            shape.Values = MakeIfKnown(type, value);
        }
        foreach (var derived in type.PolymorphismOptions?.DerivedTypes ?? [])
        {
            if (derived.DerivedType != type.Type && MakeIfKnown(type, derived.DerivedType) is { } its)
                shape.Include(its);
        }
        return shape;
    }

    private void Add(PersonalShape shape, JsonTypeInfo type, JsonPropertyInfo property)
    {
        if (AttributeOf<PersonalAttribute>(property) is { } personal)
            shape.Add(property.Name, PersonalShape.Of(RuleOf(personal, type, property)));
        else if (property.CustomConverter is null && MakeIfKnown(type, property.PropertyType) is { } its)
            shape.Add(property.Name, its);
        hasOpenNames |= property.CustomConverter is not null || property.IsExtensionData
            || property.Name.EndsWith("sealed", StringComparison.Ordinal);
    }

    private static bool IsScalar(Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        return type.IsPrimitive || type.IsEnum || type == typeof(string) || type == typeof(decimal) || type == typeof(Guid)
            || type == typeof(DateTime) || type == typeof(DateTimeOffset) || type == typeof(DateOnly) || type == typeof(TimeOnly)
            || type == typeof(TimeSpan);
    }

    // A context has no metadata for what only a converter writes.
    private PersonalShape? MakeIfKnown(JsonTypeInfo type, Type inner) => type.Options.TryGetTypeInfo(inner, out var its) ? Make(its) : null;

    private static PersonalRule RuleOf(PersonalAttribute personal, JsonTypeInfo type, JsonPropertyInfo property)
    {
        var name = $"{type.Type}.{property.Name}";
        try
        {
            NameRules.CheckTagKey(personal.SubjectKey, nameof(personal));
        }
        catch (ArgumentException e)
        {
            throw new InvalidOperationException($"The [Personal] on {name} is not allowed. {e.Message}", e);
        }
        if (AttributeOf<TagAttribute>(property) is { IsPseudonym: false } tag)
        {
            throw new InvalidOperationException($"{name} is [Personal] and a tag, {NameRules.Quote(tag.Key)}: a tag is stored readable, and "
                + "stays when the "
                + "person is forgotten. Make it a pseudonym, [Tag(\"...\", IsPseudonym = true)], or remove one of the two.");
        }
        return new PersonalRule(personal.SubjectKey, SubjectMember(personal, type, name), Placeholder(personal, property, name));
    }

    private static string? SubjectMember(PersonalAttribute personal, JsonTypeInfo type, string name)
    {
        if (personal.SubjectProperty is not { } subject)
            return null;
        var found = type.Properties.FirstOrDefault(each => (each.AttributeProvider as System.Reflection.MemberInfo)?.Name == subject)
            ?? type.Properties.FirstOrDefault(each => each.Name == subject)
            ?? throw new InvalidOperationException($"The [Personal] on {name} names the property {NameRules.Quote(subject)}, which {type.Type} "
                + "does not have, "
            + "or which is not in its JSON.");
        return AttributeOf<PersonalAttribute>(found) is null ? found.Name
            : throw new InvalidOperationException($"The [Personal] on {name} names the property {subject}, which is personal itself: once the "
                + "person is "
            + "forgotten, nobody could tell whose data it was. Name a property with an identifier that stays.");
    }

    private static JsonNode? Placeholder(PersonalAttribute personal, JsonPropertyInfo property, string name)
    {
        if (personal.Placeholder is not { } placeholder)
        {
            var isNullable = property.PropertyType.IsValueType
                ? Nullable.GetUnderlyingType(property.PropertyType) is not null
                : property.IsGetNullable;
            return isNullable ? null
                : throw new InvalidOperationException($"{name} is [Personal] and not nullable: make it nullable, or set a Placeholder, which "
                    + "readers get once "
                + "the person is forgotten.");
        }
        try
        {
            var json = property.Options.TryGetTypeInfo(placeholder.GetType(), out var its)
                ? JsonSerializer.SerializeToNode(placeholder, its)
                : JsonValue.Create(Convert.ToString(placeholder, System.Globalization.CultureInfo.InvariantCulture));
            if (property.CustomConverter is null)
                json.Deserialize(property.Options.GetTypeInfo(property.PropertyType));
            return json;
        }
        catch (Exception e) when (e is JsonException or NotSupportedException)
        {
            throw new InvalidOperationException($"The Placeholder of the [Personal] on {name} is not a value of {property.PropertyType}. "
                + $"{e.Message}", e);
        }
    }

    private static T? AttributeOf<T>(JsonPropertyInfo property)
        where T : Attribute => property.AttributeProvider?.GetCustomAttributes(typeof(T), inherit: true).OfType<T>().FirstOrDefault();
}
