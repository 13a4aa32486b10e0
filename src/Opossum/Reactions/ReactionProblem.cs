namespace Opossum;

/// <summary>A temporary problem of a reaction, such as a full disk or an unreachable share. The reaction retries until it can continue.</summary>
/// <param name="Error">The error of the last attempt.</param>
/// <param name="Since">The time of the first failure.</param>
public sealed record ReactionProblem(string Error, DateTimeOffset Since);
