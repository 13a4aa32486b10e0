namespace Opossum;

/// <summary>A temporary problem of a projection, such as a full disk or an unreachable share. The projection retries until it can continue.</summary>
/// <param name="Error">The error of the last attempt.</param>
/// <param name="Since">The time of the first failure.</param>
public sealed record ProjectionProblem(string Error, DateTimeOffset Since);
