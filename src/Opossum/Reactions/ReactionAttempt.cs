namespace Opossum;

/// <summary>A failed attempt to handle an event.</summary>
/// <param name="Number">The attempt's number; see <see cref="ReactionContext.Attempt"/>.</param>
/// <param name="EndedAt">The time at which the handler failed.</param>
/// <param name="Error">The error with its type and stack trace, at most its first 4,000 characters.</param>
public sealed record ReactionAttempt(int Number, DateTimeOffset EndedAt, string Error);
