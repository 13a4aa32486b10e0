namespace Opossum.Projections.Building;

/// <summary>An event could not be applied.</summary>
internal sealed class EventFailedException(long position, string eventType, Exception cause)
    : Exception($"{cause.GetType().Name}: {cause.Message}", cause)
{
    public long Position { get; } = position;

    public string EventType { get; } = eventType;
}
