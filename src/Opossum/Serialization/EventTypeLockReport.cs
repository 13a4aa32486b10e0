namespace Opossum.Maintenance;

/// <summary>How the event types differ from an earlier text: the result of <see cref="EventTypeLock.Compare"/>.</summary>
public sealed record EventTypeLockReport
{
    /// <summary>The changes, by the type's name; empty when there is none.</summary>
    public required IReadOnlyList<EventTypeChange> Changes { get; init; }

    /// <summary>Whether nothing has changed.</summary>
    public bool IsUnchanged => Changes.Count == 0;

    /// <summary>Whether a change makes stored events unreadable; see <see cref="EventTypeChange.BreaksStoredEvents"/>.</summary>
    public bool BreaksStoredEvents => Changes.Any(static change => change.BreaksStoredEvents);

    /// <summary>A line for each change; empty when there is none.</summary>
    public override string ToString() => string.Join(Environment.NewLine, Changes);
}
