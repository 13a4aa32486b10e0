namespace Opossum;

/// <summary>An event that a reaction skipped on request, as the file in the reaction's folder records it.</summary>
public sealed record SkippedEvent
{
    /// <summary>The event's position.</summary>
    public required long Position { get; init; }

    /// <summary>The event's type; empty when the file is damaged.</summary>
    public string Type { get; init; } = "";

    /// <summary>The key of the reaction that the event has, at most its first 1,000 characters.</summary>
    public string Key { get; init; } = "";

    /// <summary>Why it was skipped; empty when the file is damaged.</summary>
    public string Reason { get; init; } = "";

    /// <summary>The time at which it was skipped; null when the file is damaged.</summary>
    public DateTimeOffset? SkippedAt { get; init; }

    /// <summary>What is wrong with the file; null when nothing is.</summary>
    public string? Problem { get; init; }
}
