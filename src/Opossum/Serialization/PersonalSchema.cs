using System.Text.Json.Nodes;

namespace Opossum.Serialization;

/// <summary>The personal members in a JSON Schema: written into it, and read from it.</summary>
internal sealed class PersonalSchema
{
    private const string Properties = "properties";
    private const string Items = "items";
    private const string Values = "additionalProperties";
    private const string Alternatives = "anyOf";

    private readonly Dictionary<JsonObject, JsonShape> shapes = [];
    private readonly JsonObject root;

    public PersonalSchema(JsonObject root)
    {
        this.root = root;
        Shape = ShapeOf(root);
        Shape.Complete();
    }

    public JsonShape Shape { get; }

    /// <summary>Marks the personal members of a schema.</summary>
    /// <param name="adds">Whether members are added that the schema does not describe: then the shape has no
    /// cycle.</param>
    public static void Mark(JsonObject schema, JsonShape shape, bool adds) => Mark(schema, shape, adds, []);

    private static void Mark(JsonObject schema, JsonShape shape, bool adds, HashSet<JsonObject> referenced)
    {
        if (shape.Rule is { } rule)
            schema[EventSchema.PersonalKey] = rule.Text;
        if (shape.Rule is not null || !shape.IsPersonal)
            return;
        if ((string?)schema[SchemaMembers.Reference] is { } reference)
        {
            if (!adds)
            {
                // What a class says is marked where it is described, which may be in a member that is personal as a whole.
                if (SchemaMembers.Find(schema.Root, reference) is JsonObject described && referenced.Add(described))
                    Mark(described, shape, adds, referenced);
                return;
            }
            Inline(schema, reference);
        }
        foreach (var (name, inner) in shape.Members.Where(static each => each.Value.IsPersonal))
        {
            if (schema[Properties] is not JsonObject properties)
            {
                if (!adds)
                    break;
                schema[Properties] = properties = [];
            }
            MarkIn(properties, name, inner, adds, referenced);
        }
        if (shape.Elements is { IsPersonal: true } elements)
            MarkIn(schema, Items, elements, adds, referenced);
        if (shape.Values is { IsPersonal: true } values)
            MarkIn(schema, Values, values, adds, referenced);
        foreach (var alternative in (schema[Alternatives] as JsonArray)?.OfType<JsonObject>() ?? [])
        {
            var its = shape.VariantOf(member => ConstOf(alternative, member));
            Mark(alternative, its, adds, referenced);
        }
    }

    // A path names one of the places that a class is used in.
    private static void Inline(JsonObject schema, string reference)
    {
        schema.Remove(SchemaMembers.Reference);
        foreach (var (keyword, value) in (SchemaMembers.Find(schema.Root, reference) as JsonObject)?.ToList() ?? [])
            schema.TryAdd(keyword, value?.DeepClone());
    }

    private static void MarkIn(JsonObject parent, string name, JsonShape shape, bool adds, HashSet<JsonObject> referenced)
    {
        if (parent[name] is not JsonObject inner)
        {
            // "true" describes any value.
            if (!adds && !parent.ContainsKey(name))
                return;
            parent[name] = inner = [];
        }
        Mark(inner, shape, adds, referenced);
    }

    private JsonShape ShapeOf(JsonNode? node)
    {
        if (node is not JsonObject schema)
            return new JsonShape();
        if (shapes.TryGetValue(schema, out var known))
            return known;
        if ((string?)schema[EventSchema.PersonalKey] is { } personal)
            return shapes[schema] = JsonShape.Of(PersonalRule.Parse(personal));
        var shape = shapes[schema] = new JsonShape();
        if ((string?)schema[SchemaMembers.Reference] is { } reference)
            return shapes[schema] = ShapeOf(SchemaMembers.Find(root, reference));
        foreach (var (name, member) in schema[Properties] as JsonObject ?? [])
            shape.Add(name, ShapeOf(member));
        if (schema[Items] is JsonObject elements)
            shape.Elements = ShapeOf(elements);
        if (schema[Values] is JsonObject values)
            shape.Values = ShapeOf(values);
        foreach (var alternative in (schema[Alternatives] as JsonArray)?.OfType<JsonObject>() ?? [])
            AddAlternative(shape, alternative);
        return shape;
    }

    private void AddAlternative(JsonShape shape, JsonObject alternative)
    {
        var its = ShapeOf(alternative);
        var discriminator = its.Members.Keys.FirstOrDefault(name => ConstOf(alternative, name) is not null);
        if (discriminator is not null)
        {
            shape.AddVariant(discriminator, ConstOf(alternative, discriminator)!, its);
            return;
        }
        foreach (var (name, inner) in its.Members.Where(each => !shape.Members.ContainsKey(each.Key)))
            shape.Add(name, inner);
    }

    private static string? ConstOf(JsonObject alternative, string member) =>
        ((alternative[Properties] as JsonObject)?[member] as JsonObject)?["const"]?.ToString();
}
