namespace Opossum.Maintenance;

/// <summary>A change of an event type since an earlier text.</summary>
public sealed record EventTypeChange
{
    /// <summary>The type's name.</summary>
    public required string EventType { get; init; }

    /// <summary>
    /// Whether stored events can no longer be read as objects: the type needs a higher version and an upcaster, or
    /// its class back.
    /// </summary>
    public required bool BreaksStoredEvents { get; init; }

    /// <summary>What has changed, what it means for stored events, and what to do.</summary>
    public required string Text { get; init; }

    /// <summary>The type's name and the text.</summary>
    public override string ToString() => $"{EventType}: {Text}";
}
