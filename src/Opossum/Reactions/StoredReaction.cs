namespace Opossum;

/// <summary>A reaction as its files in the store's folder show it, whichever process runs it, if any.</summary>
public sealed record StoredReaction
{
    /// <summary>The reaction's name.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// The position up to which every event was looked at: those of the reaction are handled, are being handled, or are parked. It is up to 30
    /// seconds old as long as no event of the reaction occurs.
    /// </summary>
    public required long Position { get; init; }

    /// <summary>The store's last position.</summary>
    public required long Head { get; init; }

    /// <summary>How many ranges of events up to <see cref="Position"/> are not handled yet; 0: all are, or are parked.</summary>
    public required int Open { get; init; }

    /// <summary>How many of the events that are not handled have failed.</summary>
    public required int Failing { get; init; }

    /// <summary>The positions of the parked events, ascending.</summary>
    public required IReadOnlyList<long> Parked { get; init; }

    /// <summary>The positions of the events that were skipped, ascending.</summary>
    public required IReadOnlyList<long> Skipped { get; init; }

    /// <summary>How many events are scheduled; see <see cref="ReactionContext.ScheduleAsync"/>.</summary>
    public required int Scheduled { get; init; }

    /// <summary>The number of requests that the leading process has not carried out yet. They stay until a process leads.</summary>
    public required int OpenRequests { get; init; }

    /// <summary>
    /// Why the reaction cannot go on until <see cref="StoredReactions.RequestHandleAgainAsync"/> says from where; null when it can.
    /// </summary>
    public string? Halt { get; init; }
}
