using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Schema;
using System.Text.Json.Serialization.Metadata;

namespace Opossum.Serialization;

/// <summary>Lists the members of a type's JSON, each by its path, from the JSON Schema of the type, which it makes.</summary>
internal sealed class SchemaMembers
{
    /// <summary>The keyword of a reference.</summary>
    public const string Reference = "$ref";

    private const string Required = "required";
    private const string Forms = "x-forms";
    private const string Key = "x-key";

    // The exporter's "required" does not tell what the reader requires: it names nullable parameters too. Its types do not tell how large a number
    // is.
    private static readonly JsonSchemaExporterOptions exporterOptions = new() { TransformSchemaNode = Mark };

    private readonly JsonNode root;
    private readonly Dictionary<string, MemberShape> members = [];
    private readonly List<string> personal = [];
    private readonly HashSet<string> onlyPersonal = [];
    private readonly Dictionary<string, bool> objects = [];
    // The objects that contain what is being added, and their paths: a class may contain itself.
    private readonly List<(JsonNode Schema, string Path)> outer = [];

    private SchemaMembers(JsonNode root)
    {
        this.root = root;
        AddContent("", root);
    }

    /// <summary>What may stand in the place of each member.</summary>
    public IReadOnlyDictionary<string, MemberShape> All => members;

    public IReadOnlyList<string> Personal => personal;

    /// <summary>
    /// The members of which nothing is said but that they, or what is in them, are personal: a class may lack them, as those of an older version that
    /// the app named by their paths.
    /// </summary>
    public IReadOnlySet<string> OnlyPersonal => onlyPersonal;

    /// <summary>The paths of the objects, and whether each refuses members that it does not have; that of the event is empty.</summary>
    public IReadOnlyDictionary<string, bool> Objects => objects;

    /// <summary>The JSON Schema of a type: which members its reader requires, and with keywords of our own what may stand in their place.</summary>
    /// <exception cref="NotSupportedException">The type's JSON cannot be described.</exception>
    public static JsonNode SchemaOf(JsonTypeInfo type)
    {
        try
        {
            return type.GetJsonSchemaAsNode(exporterOptions);
        }
        // The exporter serializes the default values of constructor parameters: "default" of a struct is null to it, and NaN is no JSON.
        catch (Exception e) when (e is JsonException or ArgumentException)
        {
            var options = new JsonSerializerOptions(type.Options);
            options.TypeInfoResolver = options.TypeInfoResolver!.WithAddedModifier(RemoveParameters);
            return options.GetTypeInfo(type.Type).GetJsonSchemaAsNode(exporterOptions);
        }
    }

    public static SchemaMembers Of(JsonNode schema) => new(schema);

    /// <summary>What a reference refers to, by a path of names from the root, as the exporter writes it; null: nothing.</summary>
    public static JsonNode? Find(JsonNode root, string reference)
    {
        JsonNode? found = root;
        foreach (var step in reference.TrimStart('#').Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            var name = step.Replace("~1", "/", StringComparison.Ordinal).Replace("~0", "~", StringComparison.Ordinal);
            found = found switch
            {
                JsonObject schema => schema[name],
                JsonArray array when int.TryParse(name, out var at) => array.ElementAtOrDefault(at),
                _ => null,
            };
        }
        return found;
    }

    // What a class requires stays, and no object is made.
    private static void RemoveParameters(JsonTypeInfo type)
    {
        if (type.Kind != JsonTypeInfoKind.Object || type.CreateObject is not null)
            return;
        foreach (var property in type.Properties)
            property.IsRequired = property.IsRequired;
        type.CreateObject = static () => throw new NotSupportedException();
    }

    private void Add(string path, JsonNode schema, bool isOptional)
    {
        var personalBefore = personal.Count;
        if ((schema as JsonObject)?.ContainsKey(EventSchema.PersonalKey) == true)
            personal.Add(path);
        // A class that is used twice is described once.
        if (schema is JsonObject described && (string?)described[Reference] is { } reference && Find(root, reference) is { } its)
            schema = its;
        var known = outer.FindIndex(each => each.Schema == schema);
        members[path] = new MemberShape(known < 0 ? TypesOf(schema)
            : [$"same as {(outer[known].Path is { Length: > 0 } same ? same : "the event")}"], isOptional);
        if (known < 0)
            AddContent(path, schema);
        if (personal.Count > personalBefore && members[path].Types is ["any"])
            onlyPersonal.Add(path);
    }

    private void AddContent(string path, JsonNode schema)
    {
        outer.Add((schema, path));
        AddMembers(path, schema);
        outer.RemoveAt(outer.Count - 1);
    }

    private void AddMembers(string path, JsonNode schema)
    {
        if (schema is not JsonObject content)
            return;
        objects[path] = content["additionalProperties"]?.GetValueKind() == JsonValueKind.False;
        if (content["properties"] is JsonObject properties)
        {
            var required = content[Required] is JsonArray names ? TextsOf(names) : [];
            foreach (var (name, property) in properties)
                Add(MemberPath.Member(path, name), property!, isOptional: !required.Contains(name));
        }
        if (content["items"] is { } items)
            Add($"{path}[]", items, isOptional: false);
        // One that says nothing is of extension data.
        if (content["additionalProperties"] is JsonObject values)
            Add($"{path}{{}}", values, isOptional: values.Count == 0);
        if (content[Key] is JsonArray key)
            members[path + EventTypeShape.KeyEnding] = new MemberShape(TextsOf(key), IsOptional: false);
        if (content["anyOf"] is JsonArray alternatives)
        {
            for (var at = 0; at < alternatives.Count; at++)
                AddContent($"{path}<{Discriminator(alternatives[at]!) ?? $"{at}"}>", alternatives[at]!);
        }
    }

    private static JsonNode Mark(JsonSchemaExporterContext context, JsonNode schema)
    {
        if (schema is JsonObject described)
        {
            // What may be null is described as what it may have.
            var type = FSharpTypes.InnerOf(context.TypeInfo) is { } inner ? context.TypeInfo.Options.GetTypeInfo(inner) : context.TypeInfo;
            if (ValueForms.Of(type) is { Count: > 0 } forms && !described.ContainsKey("enum"))
                described[Forms] = ArrayOf(forms);
            if (type.KeyType is { } key && key != typeof(string))
                described[Key] = ArrayOf(ValueForms.OfKey(key, type.Options));
            if (type.Properties.Any(static property => property.IsExtensionData))
                described["additionalProperties"] = new JsonObject();
            if (described[Required] is JsonArray required)
                KeepRequired(described, required, type);
        }
        return schema;
    }

    private static void KeepRequired(JsonObject described, JsonArray required, JsonTypeInfo type)
    {
        foreach (var property in type.Properties.Where(static each => !each.IsRequired))
            required.RemoveAll(name => (string?)name == property.Name);
        if (required.Count == 0)
            described.Remove(Required);
    }

    private static string? Discriminator(JsonNode alternative) =>
        (alternative["properties"] as JsonObject)?
            .Select(static property => (property.Value as JsonObject)?["const"]?.ToString())
            .FirstOrDefault(static name => name is not null);

    private static List<string> TypesOf(JsonNode schema)
    {
        if (schema is not JsonObject content)
            return ["any"];
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
        if (content[Forms] is JsonArray forms)
            Specify(types, TextsOf(forms));
        return types;
    }

    // The forms take the place of the schema's type that they begin with; those of enums are values.
    private static void Specify(List<string> types, List<string> forms)
    {
        var begins = forms[0].Split(' ')[0];
        var at = types.FindIndex(type => type.Split(' ')[0] == begins);
        if (at < 0 && begins is not ("integer" or "number" or "string"))
            at = types.FindIndex(static type => type is "integer" or "string");
        if (at < 0)
            return;
        types.RemoveAt(at);
        types.InsertRange(at, forms);
    }

    private static JsonArray ArrayOf(IReadOnlyList<string> texts)
    {
        var array = new JsonArray();
        foreach (var text in texts)
            array.Add((JsonNode?)text);
        return array;
    }

    private static List<string> TextsOf(JsonArray texts) => [.. texts.Select(static text => (string)text!)];
}
