namespace Opossum.Decisions;

/// <summary>
/// A store that controls when the decisions of a test go on. It receives the projection of each decision model, and its decisions retry
/// without turns and pauses.
/// </summary>
internal interface IDecisionControl
{
    /// <summary>Called with the projection of each decision model, before its events are read.</summary>
    Task CheckAsync<TState>(DecisionProjection<TState> projection, CancellationToken cancellationToken);
}
