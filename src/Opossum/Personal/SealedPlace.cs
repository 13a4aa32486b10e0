using System.Globalization;
using System.Text;

namespace Opossum.Personal;

/// <summary>Where JSON with personal values is stored: a value can be decrypted only there.</summary>
internal sealed class SealedPlace
{
    private readonly byte[] identity;
    private readonly long position;
    private readonly (string Projection, string Key)? state;

    private SealedPlace(byte[] identity, long position, (string Projection, string Key)? state)
    {
        this.identity = identity;
        this.position = position;
        this.state = state;
    }

    /// <summary>The data of an event, known by its id.</summary>
    /// <param name="position">The event's position, for messages only: it is not known yet when the event is encrypted.</param>
    public static SealedPlace OfEvent(Guid id, long position = 0) =>
        new([.. "event"u8, 0, .. id.ToByteArray(bigEndian: true)], position, state: null);

    public static SealedPlace OfState(string projection, string key) =>
        new([.. "state"u8, 0, .. Encoding.UTF8.GetBytes(projection), 0, .. Encoding.UTF8.GetBytes(key)], position: 0, (projection, key));

    public bool IsState => state is not null;

    /// <summary>What a value of a person at a member is bound to.</summary>
    public byte[] Of(Tag subject, string path) =>
        [.. "opossum"u8, 0, .. identity, 0, .. Encoding.UTF8.GetBytes(subject.ToString()), 0, .. Encoding.UTF8.GetBytes(path)];

    /// <summary>The place in words, as the beginning of a message.</summary>
    public override string ToString() => state is var (projection, key)
        ? $"The state {NameRules.Quote(key)} of the projection {projection}"
        : string.Create(CultureInfo.InvariantCulture, $"The event at position {position} cannot be read");
}
