namespace Opossum;

/// <summary>What became of a decision.</summary>
/// <param name="State">The state that the decision was made on at last: without the events it appended.</param>
/// <param name="Appended">Where its events went; null when it was decided to append none.</param>
public sealed record DecisionResult<TState>(TState State, AppendResult? Appended);
