namespace Opossum;

/// <summary>An event's data cannot be made into a CLR object: its type is not registered, or its JSON does not fit: a member is unknown, missing or of another kind. Its envelope and its JSON can still be read.</summary>
public sealed class EventDataException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="eventType">The event's type name.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">What the serializer said, if it did.</param>
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

    /// <summary>False: the event type has to be registered, or an upcaster, first.</summary>
    public override bool IsTransient => false;
}
