namespace Opossum;

/// <summary>The status of a reaction, as this process sees it: what it runs itself, or what the files in the store's folder show.</summary>
public sealed record ReactionStatus
{
    /// <summary>The reaction's name.</summary>
    public required string Name { get; init; }

    /// <summary>The phase of the reaction.</summary>
    public required ReactionPhase Phase { get; init; }

    /// <summary>
    /// The position up to which every event was looked at: those of the reaction are handled, are being handled, or are parked. Unless this process
    /// leads the reaction, it is up to 30 seconds old as long as no event of the reaction occurs.
    /// </summary>
    public required long Position { get; init; }

    /// <summary>The store's last position; the reaction lags behind it by the difference to <see cref="Position"/>.</summary>
    public required long Head { get; init; }

    /// <summary>Whether this process handles the events; of several processes, one does.</summary>
    public required bool IsLeader { get; init; }

    /// <summary>
    /// How many events up to <see cref="Position"/> are not handled yet, without the parked ones and those that wait for them; unless this process
    /// leads, how many ranges of them. 0: all are handled, or are parked.
    /// </summary>
    public required int Open { get; init; }

    /// <summary>How many of them have failed and will be retried.</summary>
    public required int Failing { get; init; }

    /// <summary>The positions of the parked events, ascending; see <see cref="ReactionHandle.ReadParkedAsync"/>.</summary>
    public required IReadOnlyList<long> Parked { get; init; }

    /// <summary>The positions of the events that were skipped, ascending; see <see cref="ReactionHandle.ReadSkippedAsync"/>.</summary>
    public required IReadOnlyList<long> Skipped { get; init; }

    /// <summary>How many events are scheduled; see <see cref="ReactionContext.ScheduleAsync"/>.</summary>
    public required int Scheduled { get; init; }

    /// <summary>The number of requests that the leading process has not carried out yet. They stay until a process leads.</summary>
    public required int OpenRequests { get; init; }

    /// <summary>Why the reaction is halted; null unless the phase is <see cref="ReactionPhase.Halted"/>.</summary>
    public string? Halt { get; init; }

    /// <summary>The temporary problem that stops this process for now; null when there is none.</summary>
    public FollowerProblem? Problem { get; init; }
}
