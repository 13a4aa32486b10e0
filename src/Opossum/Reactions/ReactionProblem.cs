namespace Opossum;

/// <summary>A temporary problem of a reaction, such as a full disk or an unreachable share. The reaction retries until it can continue.</summary>
public sealed record ReactionProblem
{
    /// <summary>The error of the last attempt.</summary>
    public required string Error { get; init; }

    /// <summary>The time of the first failure.</summary>
    public required DateTimeOffset Since { get; init; }
}
