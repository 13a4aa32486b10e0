namespace Opossum;

/// <summary>A failed attempt to handle an event.</summary>
public sealed record ReactionAttempt
{
    /// <summary>The attempt's number; see <see cref="ReactionContext.Attempt"/>.</summary>
    public required int Number { get; init; }

    /// <summary>The time at which the handler failed.</summary>
    public required DateTimeOffset EndedAt { get; init; }

    /// <summary>The error with its type and stack trace, at most its first 4,000 characters.</summary>
    public required string Error { get; init; }
}
