namespace Opossum.Storage.Index;

/// <summary>Where the packed copy of an event is.</summary>
/// <param name="Position">The event's position.</param>
/// <param name="Start">The offset at which the copy begins.</param>
/// <param name="Length">Its bytes.</param>
internal readonly record struct PackedPlace(int Position, long Start, int Length)
{
    /// <summary>The offset at which the copy ends.</summary>
    public long End => Start + Length;
}
