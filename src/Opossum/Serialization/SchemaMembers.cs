using System.Text.Json.Nodes;
using System.Text.Json.Schema;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>Lists the members of a type's JSON, each by its path, from the JSON Schema of the type.</summary>
internal sealed class SchemaMembers
{
    private const string Optional = "optional";

    // A schema's "required" does not tell what the reader requires: it names nullable parameters too.
    private static readonly JsonSchemaExporterOptions exporterOptions = new() { TransformSchemaNode = MarkOptional };

    private readonly Dictionary<string, MemberShape> members = [];

    private SchemaMembers()
    {
    }

    public static IReadOnlyDictionary<string, MemberShape> Of(JsonTypeInfo type)
    {
        var members = new SchemaMembers();
        members.AddContent("", type.GetJsonSchemaAsNode(exporterOptions));
        return members.members;
    }

    private void Add(string path, JsonNode schema, bool isOptional)
    {
        members[path] = new MemberShape(TypesOf(schema), isOptional);
        AddContent(path, schema);
    }

    private void AddContent(string path, JsonNode schema)
    {
        if (schema is not JsonObject content)
            return;
        if (content["properties"] is JsonObject properties)
        {
            foreach (var (name, property) in properties)
                Add(path.Length == 0 ? name : $"{path}.{name}", property!, property is JsonObject marked && marked.ContainsKey(Optional));
        }
        if (content["items"] is { } items)
            Add($"{path}[]", items, isOptional: false);
        if (content["additionalProperties"] is JsonObject values)
            Add($"{path}{{}}", values, isOptional: false);
        if (content["anyOf"] is JsonArray alternatives)
        {
            for (var at = 0; at < alternatives.Count; at++)
                AddContent($"{path}<{Discriminator(alternatives[at]!) ?? $"{at}"}>", alternatives[at]!);
        }
    }

    private static JsonNode MarkOptional(JsonSchemaExporterContext context, JsonNode schema)
    {
        if (context.PropertyInfo is not { IsRequired: false })
            return schema;
        var marked = schema as JsonObject ?? [];
        marked.Add(Optional, true);
        return marked;
    }

    private static string? Discriminator(JsonNode alternative) =>
        (alternative["properties"] as JsonObject)?
            .Select(static property => (property.Value as JsonObject)?["const"]?.ToString())
            .FirstOrDefault(static name => name is not null);

    private static List<string> TypesOf(JsonNode schema)
    {
        if (schema is not JsonObject content)
            return ["any"];
        if ((string?)content["$ref"] is { } reference)
            return [$"same as {reference}"];
        if (content["enum"] is JsonArray values)
            return [.. values.Select(static value => value is null ? "null" : $"'{value}'")];
        if (content["const"] is { } constant)
            return [$"'{constant}'"];
        List<string> types = content["type"] switch
        {
            JsonArray several => [.. several.Select(static type => (string)type!)],
            { } one => [(string)one!],
            null => [content["anyOf"] is null ? "any" : "object"],
        };
        // A pattern with numbers describes numbers in quotes: they can be read, and are never written.
        if (content["pattern"] is not null && types.Exists(static type => type is "integer" or "number"))
            types.Remove("string");
        if ((string?)content["format"] is { } format && types.IndexOf("string") is >= 0 and var text)
            types[text] = $"string {format}";
        return types;
    }
}
