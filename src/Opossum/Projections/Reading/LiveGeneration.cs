using Opossum.Projections.States;

namespace Opossum.Projections.Reading;

/// <summary>The live generation that a reader has found.</summary>
/// <param name="Tags">Its tag index, filled on demand.</param>
internal sealed record LiveGeneration(Generation Generation, GenerationModel Model, TagIndex Tags)
{
    /// <summary>Whether its states were found to be built on the store's events. If so, all later states are too.</summary>
    public volatile bool Fits;

    private long damagedTagsSince;

    /// <summary>The clock's timestamp when its tag log was first found damaged; 0: it was not.</summary>
    public long DamagedTagsSince => Interlocked.Read(ref damagedTagsSince);

    /// <summary>Notes that its tag log was found damaged; false: already noted.</summary>
    public bool NoteDamagedTags(long now) => Interlocked.CompareExchange(ref damagedTagsSince, now, 0) == 0;
}
