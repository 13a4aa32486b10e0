namespace Opossum;

/// <summary>The event that stopped a projection.</summary>
/// <param name="Position">The event's position.</param>
/// <param name="EventType">The event's type.</param>
/// <param name="Error">What went wrong, by the last try.</param>
/// <param name="At">When it was given up.</param>
public sealed record ProjectionFault(long Position, string EventType, string Error, DateTimeOffset At);
