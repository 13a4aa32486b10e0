namespace Opossum;

/// <summary>What a decision is made on, and the condition under which the decision may be appended: that nothing it rests on has changed since.</summary>
/// <param name="State">The state that the events up to the head gave.</param>
/// <param name="AppendCondition">Fails when an event that the state depends on has come behind the head that was read.</param>
public sealed record DecisionModel<TState>(TState State, AppendCondition AppendCondition);
