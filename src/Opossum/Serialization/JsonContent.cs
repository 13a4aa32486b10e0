using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>
/// What is known of a CLR type's JSON before a value is written: its members, which are personal, and what may hide others.
/// </summary>
internal sealed class JsonContent
{
    private readonly Dictionary<Type, JsonShape> shapes = [];
    private readonly JsonTypeInfo json;

    /// <exception cref="InvalidOperationException">
    /// A [Personal] contradicts its property, or a converter hides one; the message names the member and the remedy.
    /// </exception>
    public JsonContent(JsonTypeInfo json)
    {
        this.json = json;
        Shape = Make(json);
        HasPlaceholders = Shape.Complete().Any(static each => each.Rule?.Placeholder is not null);
        MayBePersonal |= Shape.IsPersonal;
        if (Shape.IsPersonal && WritesReferences(json.Options))
        {
            throw new InvalidOperationException($"{json.Type} has personal members, and the options' ReferenceHandler writes references between "
                + "values: what refers to a personal one could not be read once the person is forgotten. Do without the handler.");
        }
        // Those that were made by hand, which nothing has compared yet.
        if (MayBePersonal)
            WholeObjects.RefuseChanged(json);
    }

    public JsonShape Shape { get; }

    public bool HasPlaceholders { get; }

    /// <summary>Whether the JSON may have members whose names only its data know.</summary>
    public bool MayHaveAnyMember { get; private set; }

    /// <summary>Whether a value may have personal members, also of a class that only the value itself names.</summary>
    public bool MayBePersonal { get; private set; }

    /// <summary>Whether a value that stands in several places is written once, and referred to.</summary>
    public static bool WritesReferences(JsonSerializerOptions options) =>
        options.ReferenceHandler is { } handler && handler != ReferenceHandler.IgnoreCycles;

    /// <summary>Whether a member is read whatever the case of its name.</summary>
    public bool IgnoresCase => json.Options.PropertyNameCaseInsensitive;

    /// <summary>The metadata to write a value with marks. Made at the first use, which takes milliseconds.</summary>
    public JsonTypeInfo ToWrite => field ??= MayBePersonal ? PersonalMarks.Of(json) : json;

    private JsonShape Make(JsonTypeInfo type)
    {
        if (shapes.TryGetValue(type.Type, out var known))
            return known;
        if (FSharpTypes.InnerOf(type) is { } inner && MakeIfKnown(type, inner) is { } own)
            return shapes[type.Type] = own;
        var shape = shapes[type.Type] = new JsonShape();
        if (type.Kind == JsonTypeInfoKind.Object)
        {
            PersonalRules.RefuseExplicit(type.Type);
            foreach (var property in type.Properties)
                Add(shape, type, property);
        }
        else if (type is { Kind: JsonTypeInfoKind.Enumerable, ElementType: { } element })
        {
            shape.Elements = MakeIfKnown(type, element);
        }
        else if (type is { Kind: JsonTypeInfoKind.Dictionary, ElementType: { } value })
        {
            MayHaveAnyMember = true;
            shape.Values = MakeIfKnown(type, value);
        }
        else if (type.Kind == JsonTypeInfoKind.None)
        {
            PersonalRules.RefuseHidden(type, json.Type.Assembly);
            MayHaveAnyMember |= !IsScalar(type.Type);
            MayBePersonal |= type.Type == typeof(object) || ConverterContent.IsOwn(type.Converter);
        }
        foreach (var derived in type.PolymorphismOptions?.DerivedTypes ?? [])
        {
            if (MakeIfKnown(type, derived.DerivedType) is { } its && derived.TypeDiscriminator is { } name)
                shape.AddVariant(type.PolymorphismOptions!.TypeDiscriminatorPropertyName, name, its);
        }
        return shape;
    }

    private void Add(JsonShape shape, JsonTypeInfo type, JsonPropertyInfo property)
    {
        var rule = PersonalRules.Find(type, property);
        // Also what is encrypted as a whole is looked at: its writer is the same.
        var its = property.CustomConverter is null ? MakeIfKnown(type, property.PropertyType) : null;
        if (rule is not null)
            shape.Add(property.Name, JsonShape.Of(PersonalRules.WithPlaceholder(rule, type, property)));
        else if (!property.IsExtensionData)
            shape.Add(property.Name, its ?? new JsonShape());
        MayBePersonal |= ConverterContent.IsOwn(property.CustomConverter) || property.IsExtensionData;
        MayHaveAnyMember |= property.CustomConverter is not null || property.IsExtensionData
            || property.Name.EndsWith("sealed", StringComparison.Ordinal);
    }

    private static bool IsScalar(Type type)
    {
        type = FSharpTypes.InnerOf(type) ?? type;
        return type.IsPrimitive || type.IsEnum || type == typeof(string) || type == typeof(decimal) || type == typeof(Guid)
            || type == typeof(DateTime) || type == typeof(DateTimeOffset) || type == typeof(DateOnly) || type == typeof(TimeOnly)
            || type == typeof(TimeSpan);
    }

    // A context has no metadata for what only a converter writes.
    private JsonShape? MakeIfKnown(JsonTypeInfo type, Type inner) => type.Options.TryGetTypeInfo(inner, out var its) ? Make(its) : null;
}
