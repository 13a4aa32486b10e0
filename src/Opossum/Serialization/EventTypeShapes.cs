using System.Text;
using System.Text.Json;
using Opossum.Maintenance;
using static System.FormattableString;

namespace Opossum.Serialization;

/// <summary>The shapes of a registry's event types: as text, from text, and compared.</summary>
internal static class EventTypeShapes
{
    public static SortedDictionary<string, EventTypeShape> Of(EventTypeRegistry types)
    {
        types.Freeze();
        var shapes = new SortedDictionary<string, EventTypeShape>(StringComparer.Ordinal);
        foreach (var type in types.All)
            shapes.Add(type.Name, Of(type));
        return shapes;
    }

    /// <summary>What of the JSON of a shape a class of the same version cannot read, as sentences.</summary>
    public static IEnumerable<string> FindBreaks(string name, EventTypeShape shape, RegisteredEventType type)
    {
        var changes = new List<EventTypeChange>();
        Compare(name, shape, Of(type), changes);
        return changes.Where(static change => change.BreaksStoredEvents).Select(static change => $"Here {change.Text}");
    }

    private static EventTypeShape Of(RegisteredEventType type)
    {
        var members = SchemaMembers.Of(SchemaMembers.SchemaOf(type.Json!));
        return new EventTypeShape(type.Version, [.. type.DeclaredTags.Forms.Distinct()], members.All) { Objects = members.Objects };
    }

    public static string Write(SortedDictionary<string, EventTypeShape> shapes) => Encoding.UTF8.GetString(JsonFile.Of(json =>
    {
        json.WriteStartObject();
        foreach (var (name, shape) in shapes)
        {
            json.WriteStartObject(name);
            json.WriteNumber("version", shape.Version);
            json.WriteStartArray("tags");
            foreach (var tag in shape.Tags)
                json.WriteStringValue(tag);
            json.WriteEndArray();
            json.WriteStartObject("members");
            foreach (var (path, member) in shape.Members)
                json.WriteString(path, member.ToString());
            json.WriteEndObject();
            json.WriteEndObject();
        }
        json.WriteEndObject();
    }));

    /// <exception cref="JsonException">The text is no JSON, or has another form.</exception>
    public static SortedDictionary<string, EventTypeShape> Read(string text)
    {
        using var document = JsonDocument.Parse(text);
        var shapes = new SortedDictionary<string, EventTypeShape>(StringComparer.Ordinal);
        foreach (var type in Object(document.RootElement, "The text"))
            shapes[type.Name] = Shape(type);
        return shapes;
    }

    public static List<EventTypeChange> Compare(SortedDictionary<string, EventTypeShape> before, SortedDictionary<string, EventTypeShape> after)
    {
        var changes = new List<EventTypeChange>();
        foreach (var name in before.Keys.Union(after.Keys).Order(StringComparer.Ordinal))
        {
            if (!after.TryGetValue(name, out var now))
            {
                changes.Add(Change(name, breaks: true, "no class is registered under this name any more, so its stored events cannot be read as "
                    + "objects. Register the class again; if it was renamed, keep the name of its events in [EventType]."));
            }
            else if (!before.TryGetValue(name, out var then))
            {
                changes.Add(Change(name, breaks: false, "this event type is new."));
            }
            else
            {
                Compare(name, then, now, changes);
            }
        }
        return changes;
    }

    private static void Compare(string name, EventTypeShape before, EventTypeShape after, List<EventTypeChange> changes)
    {
        if (after.Version < before.Version)
        {
            changes.Add(Change(name, breaks: true, Invariant($"the version went from {before.Version} to {after.Version}, so stored events of ")
                + Invariant($"version {before.Version} cannot be read. Never lower a version.")));
        }

        if (after.Version > before.Version)
        {
            Note(Invariant($"the version went from {before.Version} to {after.Version}; an upcaster converts the JSON of stored events."));
        }

        // A registry is complete only with its upcasters: what differs between versions, they convert.
        var advice = after.Version > before.Version ? "" : Invariant($" Raise the version to {before.Version + 1} and add an upcaster");
        foreach (var (path, member) in before.Members)
        {
            if (after.Find(path) is not { } now)
            {
                if (before.IsInsideOfOther(path, after) || before.OnlyPersonal.Contains(path))
                    continue;
                Add($"the member {path} ({member}) was removed.", breaks: after.RefusesUnknown(path),
                    $" Stored events have it, and a class refuses JSON with a member that it does not have.{advice} that removes or renames it.");
            }
            else if (now.ToString() != member.ToString())
            {
                AddChange(path, member, now);
            }
        }
        foreach (var (path, member) in after.Members)
        {
            if (before.Find(path) is not null)
            {
                if (!before.Members.ContainsKey(path))
                    AddChange(path, before.Find(path)!, member);
                continue;
            }
            if (!after.IsInsideOfOther(path, before))
            {
                Add($"the member {path} ({member}) was added.", breaks: !member.IsOptional && !before.IsOfOtherClass(path),
                    $" Stored events lack it.{advice} that adds it, or make it nullable or give it a default value.");
            }
        }
        foreach (var tag in before.Tags.Except(after.Tags))
            Note($"the tag {tag} was removed: new events do not carry it, so queries and append conditions by it do not find them.");
        foreach (var tag in after.Tags.Except(before.Tags))
            Note($"the tag {tag} was added: stored events do not carry it, so queries and append conditions by it do not find them.");

        void AddChange(string path, MemberShape then, MemberShape now) =>
            Add($"the member {path} was {then} and is {now}.", breaks: !now.Reads(then),
                $" Stored events may hold what the class does not read now.{advice} that converts it.");

        void Add(string text, bool breaks, string consequence)
        {
            breaks &= after.Version <= before.Version;
            changes.Add(Change(name, breaks, breaks ? text + consequence : text));
        }

        void Note(string text) => changes.Add(Change(name, breaks: false, text));
    }

    private static EventTypeChange Change(string name, bool breaks, string text) =>
        new() { EventType = name, BreaksStoredEvents = breaks, Text = text };

    private static EventTypeShape Shape(JsonProperty type)
    {
        var version = 0;
        string[] tags = [];
        var members = new Dictionary<string, MemberShape>();
        foreach (var entry in Object(type.Value, type.Name))
        {
            if (entry.NameEquals("version") && entry.Value.ValueKind == JsonValueKind.Number && entry.Value.TryGetInt32(out var number))
            {
                version = number;
            }
            else if (entry.NameEquals("tags") && entry.Value.ValueKind == JsonValueKind.Array
                && entry.Value.EnumerateArray().All(static tag => tag.ValueKind == JsonValueKind.String))
            {
                tags = [.. entry.Value.EnumerateArray().Select(static tag => tag.GetString()!)];
            }
            else if (entry.NameEquals("members"))
            {
                foreach (var member in Object(entry.Value, $"{type.Name}, members"))
                    members[member.Name] = MemberShape.Parse(member.Value.ToString());
            }
            else
            {
                throw new JsonException($"{type.Name} has {entry.Name}, which is not understood.");
            }
        }
        return version > 0 ? new EventTypeShape(version, tags, members) : throw new JsonException($"{type.Name} has no version.");
    }

    private static JsonElement.ObjectEnumerator Object(JsonElement element, string what) =>
        element.ValueKind == JsonValueKind.Object ? element.EnumerateObject() : throw new JsonException($"{what} is no JSON object.");
}
