using System.Text;

namespace Opossum.Personal;

/// <summary>Where JSON with personal values is stored: a value can be decrypted only there.</summary>
/// <param name="Name">The place in words, as the beginning of a message.</param>
/// <param name="Identity">What tells the place from all others.</param>
internal sealed record SealedPlace(string Name, byte[] Identity)
{
    /// <summary>The data of an event, known by its id: its position is not known yet when it is encrypted.</summary>
    public static SealedPlace OfEvent(Guid id, string name) => new(name, [.. "event"u8, 0, .. id.ToByteArray(bigEndian: true)]);

    /// <summary>A state of a projection.</summary>
    public static SealedPlace OfState(string projection, string key) => new($"The state {NameRules.Quote(key)} of the projection {projection}",
        [.. "state"u8, 0, .. Encoding.UTF8.GetBytes(projection), 0, .. Encoding.UTF8.GetBytes(key)]);

    /// <summary>What a value of a person at a member is bound to.</summary>
    public byte[] Of(Tag subject, string path) =>
        [.. "opossum"u8, 0, .. Identity, 0, .. Encoding.UTF8.GetBytes(subject.ToString()), 0, .. Encoding.UTF8.GetBytes(path)];

    public override string ToString() => Name;
}
