namespace Opossum.Personal;

/// <summary>What a store's events have of a person: the texts of the values, and members in plain.</summary>
/// <remarks>
/// The registered classes and paths and the schemas say what is personal, and about which person; of members that they do not name, events in which
/// they are encrypted.
/// </remarks>
internal sealed class PersonTraces(Tag subject, KeyRing keys, DeclaredPersonal declared, Func<Query, long, IEnumerable<SequencedEvent>> read,
    PersonTexts? texts = null)
{
    public PersonTexts Texts { get; } = texts ?? new();

    /// <summary>Whether a value cannot be decrypted: its text is not among those found.</summary>
    public bool HasUnreadable { get; private set; }

    /// <summary>Events whose members are personal and about the person, and in plain.</summary>
    public List<PlainPersonalData> Plain { get; } = [];

    public PersonTraces Find()
    {
        var history = new PersonalHistory();
        foreach (var e in read(Query.All, 1))
        {
            if (!SealedText.MayBeIn(e.StoredJson.Span))
                continue;
            history.Note(e.Type, e.StoredJson, e.Position);
            if (SealedText.FindAll(e.StoredJson.Span).Exists(each => each.Subject == subject))
                Decrypt(e);
        }
        // An event in plain may be older than the first that shows which members are personal.
        string[] types = [.. history.Types.Union(declared.Types)];
        foreach (var e in types.Length == 0 ? [] : read(Query.FromEventTypes(types), 1))
        {
            var plain = FindPlain(e, history);
            if (plain.Count > 0)
            {
                Plain.Add(new PlainPersonalData
                {
                    Position = e.Position,
                    EventType = e.Type,
                    Members = [.. plain.Select(static each => each.Pattern).Distinct()],
                });
            }
            plain.ForEach(each => Texts.Add(each.Value));
        }
        return this;
    }

    private List<JsonMember> FindPlain(SequencedEvent e, PersonalHistory history)
    {
        var ruled = declared.Find(e.Type, e.StoredJson).ToList();
        var paths = ruled.ConvertAll(static each => each.Member.Path).ToHashSet();
        return
        [
            .. ruled.Where(each => each.Member.IsPlain && DeclaredPersonal.IsAbout(each.Member, each.Rule, subject, e))
                .Select(static each => each.Member),
            .. history.FindPlainOf(subject, e).Where(each => !paths.Contains(each.Path)),
        ];
    }

    private void Decrypt(SequencedEvent e)
    {
        try
        {
            DecryptAll(e);
        }
        catch (PersonalDataException damage) when (!damage.IsTransient)
        {
            // A damaged key tells nothing; it is removed like any other.
        }
    }

    private void DecryptAll(SequencedEvent e)
    {
        var place = SealedPlace.OfEvent(e.Id, e.Position);
        foreach (var member in JsonMember.Of(e.StoredJson).Where(static each => each.IsSealed))
        {
            if (member.ReadSealed(out var of) is not { } value || of != subject)
                continue;
            if (keys.Open(subject, value, place.Of(subject, member.DataPath), out var reason, out var problem) is { } text)
                Texts.Add(text);
            else
                HasUnreadable |= problem is null && reason != UnreadableReason.NoMasterKey;
        }
    }
}
