namespace Opossum;

/// <summary>The state a decision is made on, and the condition under which it may be appended: that nothing it rests on has changed since.</summary>
/// <param name="State">The state folded from the events; for several projections a tuple of their states.</param>
/// <param name="AppendCondition">Fails when an event that the state depends on has been appended behind the head that was read.</param>
public sealed record DecisionModel<TState>(TState State, AppendCondition AppendCondition);
