namespace Opossum.Projections.States;

/// <summary>How far a projection is in its database: committed with the rows that its events have changed.</summary>
internal sealed record PositionRow
{
    public const string Table = "opossum_positions";

    /// <summary>The projection's name.</summary>
    public required string Name { get; init; }

    /// <summary>The id of the store whose events are applied.</summary>
    public Guid Store { get; init; }

    /// <summary>The version of the handlers that have made the rows; 0: none has yet.</summary>
    public int Version { get; init; }

    /// <summary>The number of the leader's term, or of a build in it: a leader of a former term commits nothing any more.</summary>
    public long Term { get; init; }

    /// <summary>The position up to which every event is applied.</summary>
    public long Position { get; init; }

    /// <summary>The id of the event at the position; empty at position 0.</summary>
    public Guid EventId { get; init; }

    /// <summary>The store's head when the rows were cleared: up to there they are being built.</summary>
    public long Target { get; init; }

    /// <summary>The position of the event at which the projection has stopped; null: it has not.</summary>
    public long? FaultPosition { get; init; }

    public string? FaultType { get; init; }

    public string? FaultError { get; init; }

    public DateTimeOffset? FaultAt { get; init; }

    public bool IsBuilding => Position < Target;

    public ProjectionFault? Fault => FaultPosition is not { } position ? null : new ProjectionFault
    {
        Position = position,
        EventType = FaultType ?? "",
        Error = FaultError ?? "",
        At = FaultAt ?? default,
    };

    public PositionRow With(ProjectionFault? fault) => this with
    {
        FaultPosition = fault?.Position,
        FaultType = fault?.EventType,
        FaultError = fault?.Error,
        FaultAt = fault?.At,
    };
}
