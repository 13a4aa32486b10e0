namespace Opossum.Following;

/// <summary>How far something is, as its leader knows it, or as its files show it.</summary>
/// <param name="Position">The position up to which its events are done or, for a reaction, given out.</param>
/// <param name="FirstOpen">The position of the first event up to it that is given out and not done; null: none is.</param>
/// <param name="Open">How many events, or ranges of events in the files, up to it are given out and not done.</param>
/// <param name="Parked">The positions of the parked events, ascending; null: none can be.</param>
/// <param name="Scheduled">How many events are scheduled; null: the files say it.</param>
/// <param name="Halt">Why nothing is done; null: it is.</param>
internal sealed record FollowerProgress(long Position, long? FirstOpen = null, int Open = 0, int Failing = 0,
    IReadOnlyList<long>? Parked = null, int? Scheduled = null, string? Halt = null)
{
    /// <summary>Whether every event up to a position is done.</summary>
    public bool HasDone(long position) => Halt is null && Position >= position && !(FirstOpen <= position);
}
