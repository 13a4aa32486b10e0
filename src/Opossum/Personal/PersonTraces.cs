namespace Opossum.Personal;

/// <summary>What a store's events have of a person: the texts of the encrypted values, and members in plain.</summary>
internal sealed class PersonTraces(Tag subject, KeyRing keys, Func<Query, long, IEnumerable<SequencedEvent>> read)
{
    /// <summary>The texts of the person's encrypted values.</summary>
    public PersonTexts Texts { get; } = new();

    /// <summary>Events whose members are personal and about the person, and in plain.</summary>
    public List<PlainPersonalData> Plain { get; } = [];

    /// <summary>Reads all events.</summary>
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
        foreach (var e in history.Types.Count == 0 ? [] : read(Query.FromEventTypes([.. history.Types]), 1))
        {
            var patterns = history.FindPlainOf(subject, e.Type, e.Tags, e.StoredJson).Select(static each => each.Pattern).Distinct().ToList();
            if (patterns.Count > 0)
                Plain.Add(new PlainPersonalData(e.Position, e.Type, patterns));
        }
        return this;
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
            if (member.ReadSealed(out var of) is { } value && of == subject
                && keys.Open(subject, value, place.Of(subject, member.Path), out _, out _) is { } text)
            {
                Texts.Add(text);
            }
        }
    }
}
