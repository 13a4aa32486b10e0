using System.Collections.Frozen;

namespace Opossum.Serialization;

/// <summary>What an event type's JSON looks like.</summary>
/// <param name="Tags">The keys of the declared tags.</param>
/// <param name="Members">The type of each member by its path, such as <c>lines[].article</c>.</param>
internal sealed record EventTypeShape(int Version, IReadOnlyList<string> Tags, IReadOnlyDictionary<string, MemberShape> Members)
{
    /// <summary>The end of the path of a dictionary's keys. Those that are texts are left out.</summary>
    public const string KeyEnding = "{key}";

    /// <summary>
    /// The paths of the objects, and whether each refuses members that it does not have. It says nothing of new JSON, so the text does not hold it.
    /// </summary>
    public IReadOnlyDictionary<string, bool> Objects { get; init; } = new Dictionary<string, bool>();

    /// <inheritdoc cref="SchemaMembers.OnlyPersonal"/>
    public IReadOnlySet<string> OnlyPersonal { get; init; } = FrozenSet<string>.Empty;

    /// <summary>Whether JSON with a member that the class does not have is refused.</summary>
    public bool RefusesUnknown(string path)
    {
        var inside = Objects.Keys.Where(outer => outer.Length == 0
            || (path.StartsWith(outer, StringComparison.Ordinal) && path[outer.Length..] is ['.' or '{', ..] or ['[', '"', ..]))
            .MaxBy(static outer => outer.Length);
        return inside is not null && Objects[inside];
    }

    /// <summary>The shape of a member; null: there is none.</summary>
    public MemberShape? Find(string path) => Members.GetValueOrDefault(path)
        ?? (path.EndsWith(KeyEnding, StringComparison.Ordinal) && Members.ContainsKey($"{path[..^KeyEnding.Length]}{{}}")
            ? new MemberShape(["string"], IsOptional: false)
            : null);

    /// <summary>Whether the member belongs to a derived class that this shape does not have, so that no stored event is of that class.</summary>
    public bool IsOfOtherClass(string path)
    {
        for (var end = path.IndexOf('>', StringComparison.Ordinal); end >= 0; end = path.IndexOf('>', end + 1))
        {
            if (!Members.Keys.Any(each => each.AsSpan().StartsWith(path.AsSpan(0, end + 1))))
                return true;
        }
        return false;
    }

    /// <summary>Whether the member belongs to one that only this shape has: it came or went with that one.</summary>
    public bool IsInsideOfOther(string path, EventTypeShape other) =>
        Members.Keys.Any(outer => outer.Length < path.Length && path.StartsWith(outer, StringComparison.Ordinal)
            && path[outer.Length] is '.' or '[' or '{' or '<' && !other.Members.ContainsKey(outer));
}
