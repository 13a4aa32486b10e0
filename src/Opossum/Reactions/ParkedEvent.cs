namespace Opossum;

/// <summary>An event that a reaction could not handle and has put aside until somebody retries or skips it, or that was skipped.</summary>
public sealed record ParkedEvent
{
    /// <summary>The event's position.</summary>
    public required long Position { get; init; }

    /// <summary>The event's id.</summary>
    public Guid Id { get; init; }

    /// <summary>The event's type; empty when the file that describes it is missing or damaged.</summary>
    public string Type { get; init; } = "";

    /// <summary>The key of the reaction that the event has, at most its first 1,000 characters.</summary>
    public string Key { get; init; } = "";

    /// <summary>Whether the further events of that key wait until it is retried or skipped.</summary>
    public bool KeyWaits { get; init; }

    /// <summary>The time at which it was parked; null when the file that describes it is missing or damaged.</summary>
    public DateTimeOffset? ParkedAt { get; init; }

    /// <summary>
    /// The attempts that have failed, oldest first: the first one and the last nine at most, without those of former leaders; but with the last
    /// one if it ended with its process.
    /// </summary>
    public IReadOnlyList<ReactionAttempt> Attempts { get; init; } = [];

    /// <summary>Why it was skipped; null while it is parked, and when the file that describes it is missing or damaged.</summary>
    public string? SkipReason { get; init; }

    /// <summary>The time at which it was skipped; null like <see cref="SkipReason"/>.</summary>
    public DateTimeOffset? SkippedAt { get; init; }

    /// <summary>
    /// What is wrong with the file that describes it, such as that it was deleted; null when nothing is. The event can be retried and skipped all the
    /// same.
    /// </summary>
    public string? Problem { get; init; }
}
