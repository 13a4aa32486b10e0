namespace Opossum;

/// <summary>The status of a projection.</summary>
public sealed record ProjectionStatus : FollowerStatus
{
    /// <summary>
    /// The projection's version in this process; where it does not run, the version of the states that reads return, or of those that are built for
    /// the first time.
    /// </summary>
    public required int Version { get; init; }

    /// <summary>The position that the current build has reached; null when no build runs.</summary>
    public long? RebuildPosition { get; init; }

    /// <summary>The event at which the projection has stopped; null when it has not.</summary>
    public ProjectionFault? Fault { get; init; }
}
