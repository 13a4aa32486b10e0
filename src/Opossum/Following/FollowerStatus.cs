namespace Opossum;

/// <summary>
/// The status of a projection or a reaction, as this process sees it: what it runs itself, or what the files in the store's folder show.
/// </summary>
public abstract record FollowerStatus
{
    private protected FollowerStatus()
    {
    }

    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>Its phase.</summary>
    public required FollowerPhase Phase { get; init; }

    /// <summary>
    /// A projection: the position up to which every event is applied to the states that reads return; 0: nothing can be read yet. A reaction: the
    /// position up to which every event was looked at: those of the reaction are handled, are being handled, are parked, or wait for one that is;
    /// unless this process leads it, up to 30 seconds old as long as no event of the reaction occurs.
    /// </summary>
    public required long Position { get; init; }

    /// <summary>The store's last position.</summary>
    public required long Head { get; init; }

    /// <summary>The number of events after <see cref="Position"/>.</summary>
    public long Lag => Math.Max(0, Head - Position);

    /// <summary>Whether this process does the work; of several processes, one does.</summary>
    public required bool IsLeader { get; init; }

    /// <summary>The positions of the events that were skipped, ascending; for a projection, by this version.</summary>
    public required IReadOnlyList<long> Skipped { get; init; }

    /// <summary>The number of requests that the leading process has not carried out yet. They stay until a process leads.</summary>
    public required int OpenRequests { get; init; }

    /// <summary>The temporary problem that stops this process, or a part of its work, for now; null when there is none.</summary>
    public FollowerProblem? Problem { get; init; }
}
