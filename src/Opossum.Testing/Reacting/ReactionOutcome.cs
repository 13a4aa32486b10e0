namespace Opossum.Testing;

/// <summary>What a reaction has done.</summary>
/// <param name="Appended">
/// The events that it appended, in the order of their positions, by its context or by the store. Those of Given and When are not among them.
/// </param>
/// <param name="Calls">The recorded calls, in order: of all attempts, also of those that ended in a crash.</param>
public sealed record ReactionOutcome(IReadOnlyList<SequencedEvent> Appended, IReadOnlyList<ReactionCall> Calls);
