namespace Opossum;

/// <summary>The result of a decision.</summary>
public sealed record DecisionResult<TState>
{
    /// <summary>
    /// The state that the last attempt decided on, without the events it appended. From <see cref="ReactionContext.ExecuteDecisionAsync"/>, where an
    /// earlier attempt at the event has stored them: the present state, with them.
    /// </summary>
    public required TState State { get; init; }

    /// <summary>The positions of its events; null when the decision appended none.</summary>
    public required AppendResult? Appended { get; init; }
}
