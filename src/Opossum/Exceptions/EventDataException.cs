namespace Opossum;

/// <summary>
/// Thrown when an event's data cannot be converted to a CLR object: its type is not registered, or a member of its JSON is unknown, missing or of
/// another kind. The event's envelope and JSON can still be read.
/// </summary>
public sealed class EventDataException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="eventType">The event's type name.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The serializer's error, if any.</param>
    public EventDataException(string eventType, long position, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        EventType = eventType;
        Position = position;
    }

    /// <summary>The event's type name.</summary>
    public string EventType { get; }

    /// <summary>The event's position.</summary>
    public long Position { get; }

    /// <summary>Whether a newer version of the app has written the event: a process of that can read it.</summary>
    internal bool IsOfNewerVersion { get; init; }

    /// <summary>False: the event type or an upcaster must be registered first.</summary>
    public override bool IsTransient => false;
}
