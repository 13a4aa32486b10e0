using Opossum.Projections.States;

namespace Opossum.Projections.Reading;

/// <summary>The generation that a reader has found.</summary>
/// <param name="Generation">Where it is.</param>
/// <param name="Model">What it is.</param>
/// <param name="Tags">Its index, filled when it is needed.</param>
internal sealed record LiveGeneration(Generation Generation, GenerationModel Model, TagIndex Tags)
{
    /// <summary>Whether its states were found to be built on the store's events. Then those that come after them are, too.</summary>
    public volatile bool Fits;

    private long damagedTagsSince;

    /// <summary>When its tag log was first found to be damaged, by the clock's timestamp; 0: it was not.</summary>
    public long DamagedTagsSince => Interlocked.Read(ref damagedTagsSince);

    /// <summary>Notes that its tag log was found to be damaged; false: that was noted before.</summary>
    public bool NoteDamagedTags(long now) => Interlocked.CompareExchange(ref damagedTagsSince, now, 0) == 0;
}
