using System.Globalization;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>Encrypts the personal data of events that are appended, and decrypts that of events that are read.</summary>
internal sealed class PersonalEvents(KeyRing keys)
{
    /// <summary>Encrypts, in place.</summary>
    /// <exception cref="ArgumentException">A personal value has no person; the message names the event's index.</exception>
    /// <exception cref="PersonalDataException">A key cannot be used.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled before a person's key was made.</exception>
    public void Seal(PreparedEvent[] events, CancellationToken cancellationToken)
    {
        List<(int Event, Tag[] Subjects)>? all = null;
        for (var at = 0; at < events.Length; at++)
        {
            events[at] = Prepare(events[at]);
            if (events[at].Personal.Count == 0)
                continue;
            try
            {
                (all ??= []).Add((at, [.. events[at].Personal.Select(value => SubjectOf(value, events[at].Tags))]));
            }
            catch (ArgumentException e)
            {
                throw new ArgumentException(string.Create(CultureInfo.InvariantCulture, $"events[{at}] is not allowed. {e.Message}"),
                    nameof(events), e);
            }
        }
        if (all is null)
            return;
        keys.Ensure(all.SelectMany(static each => each.Subjects).ToHashSet(), cancellationToken: cancellationToken);
        foreach (var (at, subjects) in all)
            events[at] = events[at] with { Json = Seal(events[at], subjects), Personal = [] };
    }

    /// <summary>An event's JSON as the user gave it; null when it is stored so.</summary>
    /// <exception cref="PersonalDataException">A value or a key is damaged.</exception>
    public OpenedJson? Open(SequencedEvent e) => SealedText.MayBeIn(e.StoredJson.Span)
        ? SealedValues.Open(e.StoredJson.Span, keys, SealedPlace.OfEvent(e.Id, e.Position))
        : null;

    private PreparedEvent Prepare(PreparedEvent e)
    {
        if (SealedText.MayBeIn(e.Json))
        {
            var (json, personal) = SealedText.Escape(new FoundValues(e.Json, e.Personal));
            e = e with { Json = json, Personal = personal };
        }
        return Tag.HasPseudonym(e.Tags) ? e with { Tags = [.. e.Tags.Select(keys.ResolveForAppend).Distinct()] } : e;
    }

    private static Tag SubjectOf(PersonalValue value, Tag[] tags)
    {
        var key = value.Rule.SubjectKey;
        if (value.Rule.SubjectMember is { } member)
        {
            return value.SubjectValue is { Length: > 0 } text ? new Tag(key, text)
                : throw new ArgumentException($"Its member {value.Path} is personal, but the member {member}, which names the person, is "
                    + "missing, or is neither a "
                + "text nor a number.");
        }
        var subjects = Array.FindAll(tags, tag => tag.Key == key && tag.HasValue);
        return subjects.Length == 1 ? subjects[0]
            : throw new ArgumentException($"Its member {value.Path} is personal, of the person that the tag with the key {NameRules.Quote(key)} "
                + "names, but it has "
            + (subjects.Length == 0 ? "no such tag. Add it, or name the member with the person's identifier (SubjectProperty)."
            : "several such tags. Name the member with the person's identifier (SubjectProperty)."));
    }

    private byte[] Seal(PreparedEvent e, Tag[] subjects)
    {
        var place = SealedPlace.OfEvent(e.Id);
        return PersonalValues.Replace(e.Json, e.Personal, at =>
        {
            var (value, subject) = (e.Personal[at], subjects[at]);
            var sealedValue = keys.Seal(subject, e.Json.AsSpan(value.Start, value.Length), place.Of(subject, value.Path))
                ?? throw new PersonalDataException(null, $"{subject} was forgotten while an event with personal data was being appended. Nothing was "
                + "appended.");
            return SealedText.Write(subject, sealedValue);
        });
    }
}
