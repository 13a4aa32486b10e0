using Opossum.Projections;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>Encrypts and decrypts the personal values of states.</summary>
internal sealed class PersonalStates(KeyRing keys) : IStateSealer
{
    public int LookForChanges() => keys.LookForChanges();

    public byte[] Seal(string projection, string key, FoundValues state, bool isPersonal)
    {
        var (escaped, values) = SealedText.Escape(state);
        if (!isPersonal && values.Count == 0)
            return escaped;
        Tag[] subjects = [.. values.Select(value => keys.AsTagged(SubjectOf(value, key)))];
        // Also a state without values is refused where there is no master key. Its values may be null because they could not be read.
        keys.Ensure(subjects.ToHashSet(), isForState: true);
        var place = SealedPlace.OfState(projection, key);
        return PersonalValues.Replace(escaped, values, at =>
        {
            var (value, subject) = (values[at], subjects[at]);
            var sealedValue = keys.Seal(subject, escaped.AsSpan(value.Start, value.Length), place.Of(subject, value.Path),
                isForState: true);
            // Null would say that there was no value.
            return SealedText.Write(subject, sealedValue ?? []);
        });
    }

    public OpenedJson Open(string projection, string key, byte[] json) => SealedValues.Open(json, keys, SealedPlace.OfState(projection, key));

    private static Tag SubjectOf(PersonalValue value, string key)
    {
        var text = value.Rule.SubjectMember is null ? key : value.SubjectValue;
        return text is { Length: > 0 } ? new Tag(value.Rule.SubjectKey, text)
            : throw new ArgumentException($"The state's member {value.Path} is personal, but the member {value.Rule.SubjectMember}, which names "
                + "the person, is "
            + "missing, or is neither a text nor a number.");
    }
}
