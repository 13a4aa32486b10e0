using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Opossum.Maintenance;

namespace Opossum.Serialization;

/// <summary>The JSON Schema of one version of an event type, as a file of a store has it.</summary>
internal sealed class EventSchema
{
    /// <summary>
    /// The keyword of a personal member: the key of the person's tag, or that key, a colon, and the member that names
    /// the person.
    /// </summary>
    public const string PersonalKey = "x-personal";

    private const string Dialect = "https://json-schema.org/draft/2020-12/schema";
    private const string TitleKey = "title";
    private const string VersionKey = "x-version";

    // A schema is deeper than what it describes: two levels for each of its own.
    private static readonly JsonDocumentOptions documentOptions = new()
    {
        AllowDuplicateProperties = false,
        MaxDepth = 4 * JsonText.DepthMax,
    };

    private EventSchema(string eventType, int version, JsonObject schema)
    {
        (EventType, Version) = (eventType, version);
        Personal = new PersonalSchema(schema).Shape;
        Members = SchemaMembers.Of(schema);
        Text = TextOf(schema);
    }

    public string EventType { get; }

    public int Version { get; }

    /// <summary>The JSON, in many lines.</summary>
    public ReadOnlyMemory<byte> Text { get; }

    /// <summary>Which members are personal, also in classes that contain themselves.</summary>
    public JsonShape Personal { get; }

    /// <summary>What may stand in the place of each member.</summary>
    public SchemaMembers Members { get; }

    /// <summary>
    /// The schema of a registered type; null when its JSON cannot be described, as where a resolver does not support
    /// it.
    /// </summary>
    /// <param name="paths">The personal members that were named by their paths; null: none were.</param>
    public static EventSchema? Of(RegisteredEventType type, JsonShape? paths)
    {
        try
        {
            var schema = new JsonObject
            {
                ["$schema"] = Dialect,
                [TitleKey] = type.Name,
                [VersionKey] = type.Version,
            };
            // What only a converter writes is described by "true".
            foreach (var (keyword, value) in (SchemaMembers.SchemaOf(type.Json!) as JsonObject)?.ToList() ?? [])
                schema[keyword] = value?.DeepClone();
            if (type.Content is { } content)
                PersonalSchema.Mark(schema, content.Shape, adds: false);
            if (paths is not null)
                PersonalSchema.Mark(schema, paths, adds: true);
            return new EventSchema(type.Name, type.Version, schema);
        }
        catch (Exception e) when (e is NotSupportedException or InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>Reads a file's content; null when it is no schema of an event type.</summary>
    public static EventSchema? Read(ReadOnlySpan<byte> json)
    {
        try
        {
            var text = CanonicalText.WithoutByteOrderMark(json);
            return JsonNode.Parse(text, documentOptions: documentOptions) is JsonObject schema
                && (string?)schema[TitleKey] is { Length: > 0 } name && (int?)schema[VersionKey] is { } version
                ? new EventSchema(name, version, schema) : null;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or FormatException
            or ArgumentException)
        {
            return null;
        }
    }

    /// <summary>Whether another schema of the same version calls members personal that this one does not.</summary>
    public bool LacksPersonalOf(EventSchema other) => other.Members.Personal.Except(Members.Personal).Any();

    /// <summary>The same, with the marks that only another schema of the same version has.</summary>
    public EventSchema WithPersonalOf(EventSchema other)
    {
        if (!LacksPersonalOf(other))
            return this;
        var schema = JsonNode.Parse(Text.Span, documentOptions: documentOptions)!.AsObject();
        PersonalSchema.Mark(schema, other.Personal.ToTree(), adds: true);
        // Where both mark a member, this one counts.
        PersonalSchema.Mark(schema, Personal, adds: false);
        return new EventSchema(EventType, Version, schema);
    }

    /// <summary>Why a class cannot read what the class of this schema writes, as sentences; none when it can.</summary>
    public IEnumerable<string> FindMisfits(RegisteredEventType type)
    {
        if (Version > type.Version)
        {
            return [string.Create(CultureInfo.InvariantCulture,
                $"Another version of the app writes version {Version}, and this one reads up to version "
                    + $"{type.Version}: update it.")];
        }
        // Of an older version, the upcasters decide.
        return Version < type.Version ? []
            : EventTypeShapes.FindBreaks(EventType, new EventTypeShape(Version, [], Members.All)
            {
                OnlyPersonal = Members.OnlyPersonal,
            }, type);
    }

    /// <summary>The same for an app.</summary>
    public EventTypeSchema ToPublic() => new()
    {
        EventType = EventType,
        Version = Version,
        Members = [.. Members.All.Keys],
        PersonalMembers = [.. Members.Personal],
        Json = Encoding.UTF8.GetString(Text.Span),
    };

    private static byte[] TextOf(JsonObject schema) => JsonFile.Of(json => schema.WriteTo(json));
}
