namespace Opossum.Testing;

/// <summary>What a reaction has done.</summary>
public sealed record ReactionOutcome
{
    /// <summary>
    /// The events that it appended, in the order of their positions, by its context or by the store. Those of Given
    /// and When are not among them.
    /// </summary>
    public required IReadOnlyList<SequencedEvent> Appended { get; init; }

    /// <summary>The recorded calls, in order: of all attempts, also of those that ended in a crash.</summary>
    public required IReadOnlyList<ReactionCall> Calls { get; init; }
}
