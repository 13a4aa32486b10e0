namespace Opossum;

/// <summary>The result of a decision.</summary>
/// <param name="State">The state that the last attempt decided on, without the events it appended.</param>
/// <param name="Appended">The positions of its events; null when the decision appended none.</param>
public sealed record DecisionResult<TState>(TState State, AppendResult? Appended);
