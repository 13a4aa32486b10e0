using System.Text.Json.Nodes;

namespace Opossum.Serialization;

/// <summary>Which of the nulls in JSON stand for a value that cannot be read.</summary>
internal sealed class LostPlaces
{
    private readonly HashSet<string> lost;
    private readonly HashSet<string> moved = [];
    private readonly HashSet<string> before = [];

    public LostPlaces(IReadOnlyList<(string Path, Tag Subject)> members) => lost = [.. members.Select(static member => member.Path)];

    /// <summary>
    /// After an upcaster. A lost member that it has moved is one that was not there before, and of the same kind of person.
    /// </summary>
    /// <param name="before">The JSON that the upcaster got.</param>
    public LostPlaces(IReadOnlyList<(string Path, Tag Subject)> members, JsonNode? before, JsonNode? after)
        : this(members)
    {
        AddPaths(this.before, before, "");
        var now = new HashSet<string>();
        AddPaths(now, after, "");
        moved.UnionWith(members.Where(member => !now.Contains(member.Path)).Select(static member => member.Subject.Key));
    }

    /// <summary>Whether the null at a path is a value that cannot be read.</summary>
    public bool Has(string path, PersonalRule rule) =>
        lost.Contains(path) || (moved.Contains(rule.SubjectKey) && !before.Contains(path));

    private static void AddPaths(HashSet<string> paths, JsonNode? json, string path)
    {
        paths.Add(path);
        if (json is JsonObject members)
        {
            foreach (var (name, value) in members)
                AddPaths(paths, value, MemberPath.Member(path, name));
        }
        else if (json is JsonArray elements)
        {
            for (var at = 0; at < elements.Count; at++)
                AddPaths(paths, elements[at], MemberPath.Element(path, at));
        }
    }
}
