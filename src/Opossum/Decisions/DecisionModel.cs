namespace Opossum;

/// <summary>The basis of a decision: a state, and the append condition that fails if this state has changed since.</summary>
/// <param name="State">The state built from the events up to the head.</param>
/// <param name="AppendCondition">The condition that fails when an event that the state depends on exists after the head of the read.</param>
public sealed record DecisionModel<TState>(TState State, AppendCondition AppendCondition);
