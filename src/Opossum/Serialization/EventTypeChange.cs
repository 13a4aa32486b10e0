namespace Opossum;

/// <summary>A change of an event type since an earlier text.</summary>
/// <param name="EventType">The type's name.</param>
/// <param name="BreaksStoredEvents">
/// Whether stored events can no longer be read as objects: the type needs a higher version and an upcaster, or its class back.
/// </param>
/// <param name="Text">What has changed, what it means for stored events, and what to do.</param>
public sealed record EventTypeChange(string EventType, bool BreaksStoredEvents, string Text)
{
    /// <summary>The type's name and the text.</summary>
    public override string ToString() => $"{EventType}: {Text}";
}
