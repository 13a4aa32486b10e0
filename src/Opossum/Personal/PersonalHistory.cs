using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>
/// What events show of which members are personal, where nobody knows their classes: those that are encrypted in some event of the type.
/// </summary>
internal sealed class PersonalHistory
{
    // By type and pattern. As classes are read, the case of names does not count.
    private readonly Dictionary<string, Dictionary<string, (HashSet<string> SubjectKeys, long Position)>> types = new(StringComparer.Ordinal);

    /// <summary>What the store's schemas say besides.</summary>
    public IReadOnlyList<EventSchema> Schemas { get; init; } = [];

    public IReadOnlyCollection<string> Types => types.Keys;

    /// <summary>Takes in an event.</summary>
    /// <param name="json">Its data, as it is stored.</param>
    /// <param name="position">Its position, or what else names it.</param>
    public void Note(string type, ReadOnlyMemory<byte> json, long position)
    {
        if (!SealedText.MayBeIn(json.Span))
            return;
        foreach (var member in JsonMember.Of(json).Where(static each => each.IsSealed))
        {
            if (member.ReadSealed(out var subject) is null)
                continue;
            if (!types.TryGetValue(type, out var members))
                types[type] = members = new(StringComparer.OrdinalIgnoreCase);
            if (!members.TryGetValue(member.Pattern, out var known))
                members[member.Pattern] = known = ([], position);
            known.SubjectKeys.Add(subject.Key);
        }
    }

    /// <summary>
    /// The members of an event that have a value in plain although they are personal, and an event that shows it; 0: a schema does.
    /// </summary>
    public IEnumerable<(JsonMember Member, long ShownBy)> FindPlain(string type, ReadOnlyMemory<byte> json) =>
        FindShown(type, json).Concat(Schemas.Where(schema => schema.EventType == type)
            .SelectMany(schema => DeclaredPersonal.Find(schema.Personal, JsonMember.Root(json))).Where(static found => found.Member.IsPlain)
            .Select(static found => (found.Member, ShownBy: 0L)))
            .DistinctBy(static each => each.Member.Path);

    /// <summary>The same for those that are about a person, whom a tag of the event or another member beside it names.</summary>
    public IEnumerable<JsonMember> FindPlainOf(Tag subject, SequencedEvent e) =>
        FindShown(e.Type, e.StoredJson).Select(static each => each.Member)
            .Where(each => types[e.Type][each.Pattern].SubjectKeys.Contains(subject.Key) && (e.IsAbout(subject) || each.IsBeside(subject.Value)));

    private IEnumerable<(JsonMember Member, long ShownBy)> FindShown(string type, ReadOnlyMemory<byte> json) =>
        types.TryGetValue(type, out var members)
            ? JsonMember.Of(json)
                .Where(each => each.IsPlain && members.ContainsKey(each.Pattern))
                .Select(each => (Member: each, ShownBy: members[each.Pattern].Position))
            : [];
}
