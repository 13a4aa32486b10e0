namespace Opossum;

/// <summary>How a projection is doing, as this process sees it.</summary>
public sealed record ProjectionStatus
{
    /// <summary>The projection's name.</summary>
    public required string Name { get; init; }

    /// <summary>The version that this process has.</summary>
    public required int Version { get; init; }

    /// <summary>What it is doing.</summary>
    public required ProjectionPhase Phase { get; init; }

    /// <summary>Every event up to this position counts in what is read. 0: nothing can be read yet.</summary>
    public required long Position { get; init; }

    /// <summary>The store's last position; the difference to <see cref="Position"/> is how far the states are behind.</summary>
    public required long Head { get; init; }

    /// <summary>Whether this process keeps the states up to date; of several processes one does.</summary>
    public required bool IsLeader { get; init; }

    /// <summary>Up to where the states that are being built have come; null when none are.</summary>
    public long? RebuildPosition { get; init; }

    /// <summary>The event it has stopped at; null unless it is <see cref="ProjectionPhase.Faulted"/>.</summary>
    public ProjectionFault? Fault { get; init; }

    /// <summary>What keeps this process from going on for now; null when nothing does.</summary>
    public ProjectionProblem? Problem { get; init; }
}
