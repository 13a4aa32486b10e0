namespace Opossum;

/// <summary>What keeps a projection from going on for now: a full disk, a share that is away. It goes on by itself.</summary>
/// <param name="Error">What went wrong, by the last try.</param>
/// <param name="Since">Since when it has been failing.</param>
public sealed record ProjectionProblem(string Error, DateTimeOffset Since);
