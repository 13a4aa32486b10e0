namespace Opossum;

/// <summary>The event that stopped a projection.</summary>
public sealed record ProjectionFault
{
    /// <summary>The event's position.</summary>
    public required long Position { get; init; }

    /// <summary>The event's type.</summary>
    public required string EventType { get; init; }

    /// <summary>The error of the last attempt.</summary>
    public required string Error { get; init; }

    /// <summary>The time at which the projection stopped.</summary>
    public required DateTimeOffset At { get; init; }

    /// <summary>The event's id; empty where the fault was read from a file.</summary>
    internal Guid EventId { get; init; }
}
