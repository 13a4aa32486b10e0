using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>Which members of stored events are personal by the registered classes and paths, and about which person.</summary>
internal sealed class DeclaredPersonal(EventTypeRegistry types)
{
    public IEnumerable<string> Types => types.PersonalTypes;

    /// <summary>The types with a member whose person another member names.</summary>
    public IEnumerable<string> NamingTypes => Types.Where(type => HasNaming(types.Find(type)?.Content?.Shape) || HasNaming(types.PathsOf(type)));

    /// <summary>Whether another member names the person of some member.</summary>
    public static bool HasNaming(JsonShape? shape) => shape?.Complete().Any(static each => each.Rule?.SubjectMember is not null) == true;

    public IEnumerable<(JsonMember Member, PersonalRule Rule)> Find(string type, ReadOnlyMemory<byte> json)
    {
        var (declared, paths) = (types.Find(type)?.Content?.Shape, types.PathsOf(type));
        return declared is null && paths is null ? [] : In(JsonMember.Root(json), declared, paths);
    }

    /// <summary>Whether a path leads to a personal member, or through one.</summary>
    public bool IsPersonal(string type, MemberPath path)
    {
        IEnumerable<JsonShape?> reached = [types.Find(type)?.Content?.Shape, types.PathsOf(type)];
        foreach (var step in path.Steps)
        {
            // A path leads into the objects of every derived class.
            var next = reached.OfType<JsonShape>().SelectMany(static shape => shape.Variants.Prepend(shape))
                .SelectMany(shape => Next(shape, step)).OfType<JsonShape>().ToList();
            if (next.Exists(static shape => shape.Rule is not null))
                return true;
            reached = next;
        }
        return false;
    }

    public static bool IsAbout(JsonMember member, PersonalRule rule, Tag subject, IReadOnlyList<Tag> tags) => rule.SubjectKey == subject.Key
        && (rule.SubjectMember is { } beside ? member.IsBeside(subject.Value, beside) : tags.Contains(subject));

    private static IEnumerable<(JsonMember Member, PersonalRule Rule)> In(JsonMember member, JsonShape? declared, JsonShape? paths)
    {
        if (member.Value.ValueKind == JsonValueKind.Object)
            declared = declared?.VariantOf(name => member.Value.TryGetProperty(name, out var value) ? value.ToString() : null);
        foreach (var inner in member.Inner())
        {
            var (its, named) = (Of(declared, inner.Name), Of(paths, inner.Name));
            if ((named?.Rule ?? its?.Rule) is { } rule)
            {
                yield return (inner, rule);
            }
            else if (its is not null || named is not null)
            {
                foreach (var found in In(inner, its, named))
                    yield return found;
            }
        }
    }

    private static IEnumerable<JsonShape?> Next(JsonShape shape, MemberStep step) => step switch
    {
        { IsInArray: true } => [shape.Elements],
        { Name: { } name } => [shape.MemberOf(name)],
        _ => [.. shape.Members.Values, shape.Values],
    };

    // As classes are read, the case of names does not count.
    private static JsonShape? Of(JsonShape? shape, string? name) => name is null ? shape?.Elements : shape?.MemberOf(name);
}
