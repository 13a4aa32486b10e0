namespace Opossum;

/// <summary>
/// A temporary problem of a projection or a reaction, such as a full disk or an unreachable share. It is retried until it can continue.
/// </summary>
public sealed record FollowerProblem
{
    /// <summary>The error of the last attempt.</summary>
    public required string Error { get; init; }

    /// <summary>The time of the first failure.</summary>
    public required DateTimeOffset Since { get; init; }
}
