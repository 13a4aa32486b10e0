namespace Opossum;

/// <summary>The status of a reaction.</summary>
public sealed record ReactionStatus : FollowerStatus
{
    /// <summary>
    /// How many events up to <see cref="FollowerStatus.Position"/> are not handled yet, without the parked ones and those that wait for them; unless
    /// this process leads, how many ranges of them. 0: all are handled, are parked, or wait for one that is.
    /// </summary>
    public required int Open { get; init; }

    /// <summary>How many of them have failed and will be retried.</summary>
    public required int Failing { get; init; }

    /// <summary>The positions of the parked events, ascending; see <see cref="ReactionHandle.ReadParkedAsync"/>.</summary>
    public required IReadOnlyList<long> Parked { get; init; }

    /// <summary>How many events are scheduled; see <see cref="ReactionContext.ScheduleAsync"/>.</summary>
    public required int Scheduled { get; init; }

    /// <summary>Why the reaction is halted; null when it is not.</summary>
    public string? Halt { get; init; }
}
