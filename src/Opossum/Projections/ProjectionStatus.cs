namespace Opossum;

/// <summary>The status of a projection, as this process sees it: what it runs itself, or what the files in the store's folder show.</summary>
public sealed record ProjectionStatus
{
    /// <summary>The projection's name.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// The projection's version in this process; where it does not run, the version of the states that reads return, or of those that are built for
    /// the first time.
    /// </summary>
    public required int Version { get; init; }

    /// <summary>The phase of the projection.</summary>
    public required ProjectionPhase Phase { get; init; }

    /// <summary>The position up to which every event is applied to the states that reads return. 0: nothing can be read yet.</summary>
    public required long Position { get; init; }

    /// <summary>The store's last position; the states lag behind it by the difference to <see cref="Position"/>.</summary>
    public required long Head { get; init; }

    /// <summary>Whether this process keeps the states up to date; of several processes, one does.</summary>
    public required bool IsLeader { get; init; }

    /// <summary>The position that the current build has reached; null when no build runs.</summary>
    public long? RebuildPosition { get; init; }

    /// <summary>The event at which the projection has stopped; null unless the phase is <see cref="ProjectionPhase.Faulted"/>.</summary>
    public ProjectionFault? Fault { get; init; }

    /// <summary>The positions of the events that this version skips, ascending.</summary>
    public required IReadOnlyList<long> Skipped { get; init; }

    /// <summary>The number of requests that the leading process has not carried out yet. They stay until a process leads.</summary>
    public required int OpenRequests { get; init; }

    /// <summary>The temporary problem that stops this process for now; null when there is none.</summary>
    public FollowerProblem? Problem { get; init; }
}
