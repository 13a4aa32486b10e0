namespace Opossum.Personal;

/// <summary>Looks in a store's events for what only keys can read: encrypted values, and pseudonyms.</summary>
/// <param name="has">Whether the index has an event that a query matches.</param>
/// <param name="read">Reads the events that a query matches, from a position on.</param>
/// <param name="findNamingTypes">Finds the event types in which a member, and no tag, may name the person.</param>
internal sealed class EncryptedEvents(Func<Query, bool> has, Func<Query, long, IEnumerable<SequencedEvent>> read,
    Func<IEnumerable<string>> findNamingTypes)
{
    private readonly Lock gate = new();
    private Dictionary<Tag, long>? named;
    private string[]? namingTypes;
    private long searched;
    private long searchedForNamed;
    private bool isFound;

    /// <summary>Reads the events that a query matches, from a position on.</summary>
    public IEnumerable<SequencedEvent> Read(Query query, long from) => read(query, from);

    /// <summary>Whether there are any. Each event is looked at once, and none after the first that has one.</summary>
    public bool HasAny()
    {
        lock (gate)
        {
            foreach (var e in isFound ? [] : read(Query.All, searched + 1))
            {
                if (IsEncrypted(e))
                {
                    isFound = true;
                    break;
                }
                searched = e.Position;
            }
            return isFound;
        }
    }

    /// <summary>
    /// Whether the encrypted values belong to the keys in a folder: one of them does; null: there is none of a person who is not forgotten.
    /// </summary>
    public bool? AreOf(StoreKey key, KeyFolder folder)
    {
        var isUnknown = false;
        foreach (var e in read(Query.All, 1))
        {
            foreach (var (subject, value) in SealedText.FindAll(e.StoredJson.Span))
            {
                var file = folder.ReadWhateverItIs(subject);
                if (file?.Key is { } wrapped && key.Unwrap(subject, wrapped) is { } own && value.AsSpan().StartsWith(SubjectKey.IdOf(own)))
                    return true;
                isUnknown |= file is not { Key: null } && FindForgotten(subject) is null;
            }
        }
        return isUnknown ? false : null;
    }

    public bool Has(Tag tag) => has(Query.FromTags(tag));

    /// <summary>The position of an event with an encrypted value of a person; null when there is none.</summary>
    public long? Find(Tag subject)
    {
        var query = Query.FromTags(subject);
        foreach (var e in has(query) ? read(query, 1) : [])
        {
            if (SealedText.MayBeIn(e.StoredJson.Span) && SealedText.FindAll(e.StoredJson.Span).Exists(each => each.Subject == subject))
                return e.Position;
        }
        return FindNamed(subject);
    }

    /// <summary>When a person was forgotten, as the events say; null: never.</summary>
    public DateTimeOffset? FindForgotten(Tag subject)
    {
        var query = Query.For<PersonForgotten>(subject);
        return has(query) ? read(query, 1).First().Timestamp : null;
    }

    // Of a person that no tag of the event itself names: a rule, which may, can be removed. Each event is looked at once.
    private long? FindNamed(Tag subject)
    {
        lock (gate)
        {
            namingTypes ??= [.. findNamingTypes()];
            named ??= [];
            foreach (var e in namingTypes.Length == 0 ? [] : read(Query.FromEventTypes(namingTypes), searchedForNamed + 1))
            {
                foreach (var (person, _) in SealedText.FindAll(e.StoredJson.Span))
                {
                    if (!e.OwnTags.Contains(person))
                        named.TryAdd(person, e.Position);
                }
                searchedForNamed = e.Position;
            }
            return named.TryGetValue(subject, out var position) ? position : null;
        }
    }

    private static bool IsEncrypted(SequencedEvent e) => e.Tags.Any(static tag => tag.MayBeStoredPseudonym)
        || (SealedText.MayBeIn(e.StoredJson.Span) && SealedText.FindAll(e.StoredJson.Span).Count > 0);
}
