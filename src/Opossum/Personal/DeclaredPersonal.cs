using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>
/// Which members of stored events are personal, and about which person: by the registered classes and paths, and by the store's schemas, which
/// programs without the classes have, and which know the classes' other versions.
/// </summary>
internal sealed class DeclaredPersonal(EventTypeRegistry types, IReadOnlyList<EventSchema> schemas)
{
    public IEnumerable<string> Types => types.PersonalTypes.Union(
        schemas.Where(static schema => schema.Personal.IsPersonal).Select(static schema => schema.EventType));

    /// <summary>The types with a member whose person another member names.</summary>
    public IEnumerable<string> NamingTypes => Types.Where(type => ShapesOf(type).Any(static shape =>
        shape.Complete().Any(static each => each.Rule?.SubjectMember is not null)));

    public IEnumerable<(JsonMember Member, PersonalRule Rule)> Find(string type, ReadOnlyMemory<byte> json) =>
        ShapesOf(type).SelectMany(shape => Find(shape, JsonMember.Root(json))).DistinctBy(static each => each.Member.Path);

    /// <summary>The personal members in a value of a shape.</summary>
    public static IEnumerable<(JsonMember Member, PersonalRule Rule)> Find(JsonShape shape, JsonMember value)
    {
        if (value.Value.ValueKind == JsonValueKind.Object)
            shape = shape.VariantOf(name => value.Value.TryGetProperty(name, out var found) ? found.ToString() : null);
        // As classes are read, the case of names does not count.
        return value.Inner().SelectMany(inner => (inner.Name is { } name ? shape.MemberOf(name) : shape.Elements) switch
        {
            { Rule: { } rule } => [(inner, rule)],
            { IsPersonal: true } next => Find(next, inner),
            _ => [],
        });
    }

    /// <summary>Why a tag rule would keep a personal member as a tag, which is stored readable, as a sentence; null: none would.</summary>
    public string? FindPersonal(IEnumerable<TagRule> rules) =>
        rules.FirstOrDefault(rule => IsPersonal(rule.EventType, MemberPath.Parse(rule.Member, nameof(rules)))) is { } found
            ? $"{NameRules.Quote(found.Member)} is personal data, as the type {NameRules.Quote(found.EventType)} is registered or its schema says, "
                + "and no tag is made of it: the index would keep it in plain."
            : null;

    public static bool IsAbout(JsonMember member, PersonalRule rule, Tag subject, SequencedEvent e) => rule.SubjectKey == subject.Key
        && (rule.SubjectMember is { } beside ? member.IsBeside(subject.Value, beside) : e.IsAbout(subject));

    // Whether a path leads to a personal member, or through one.
    private bool IsPersonal(string type, MemberPath path)
    {
        // A member of a registered class may be personal no longer.
        var reached = types.Find(type) is null ? ShapesOf(type) : DeclaredOf(type);
        foreach (var step in path.Steps)
        {
            // A path leads into the objects of every derived class.
            var next = reached.SelectMany(static shape => shape.Variants.Prepend(shape))
                .SelectMany(shape => Next(shape, step)).OfType<JsonShape>().ToList();
            if (next.Exists(static shape => shape.Rule is not null))
                return true;
            reached = next;
        }
        return false;
    }

    private IEnumerable<JsonShape> ShapesOf(string type) =>
        DeclaredOf(type).Concat(schemas.Where(schema => schema.EventType == type).Select(static schema => schema.Personal));

    // The paths first: what one says of a member counts.
    private IEnumerable<JsonShape> DeclaredOf(string type) =>
        new[] { types.PathsOf(type), types.Find(type)?.Content?.Shape }.OfType<JsonShape>();

    private static IEnumerable<JsonShape?> Next(JsonShape shape, MemberStep step) => step switch
    {
        { IsInArray: true } => [shape.Elements],
        { Name: { } name } => [shape.MemberOf(name)],
        _ => [.. shape.Members.Values, shape.Values],
    };
}
