namespace Opossum;

/// <summary>The event that stopped a projection.</summary>
/// <param name="Position">The event's position.</param>
/// <param name="EventType">The event's type.</param>
/// <param name="Error">The error of the last attempt.</param>
/// <param name="At">The time at which the projection stopped.</param>
public sealed record ProjectionFault(long Position, string EventType, string Error, DateTimeOffset At);
