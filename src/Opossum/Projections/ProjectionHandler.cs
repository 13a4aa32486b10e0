namespace Opossum.Projections;

/// <summary>The handler of an event type: the keys of the states it changes, and the change. Exactly one of Key and Keys is set.</summary>
/// <param name="Apply">Returns the next state of a key.</param>
internal sealed record ProjectionHandler<TState>(Func<SequencedEvent, string>? Key, Func<SequencedEvent, IEnumerable<string>>? Keys,
    Func<TState?, SequencedEvent, string, TState?> Apply)
    where TState : class;
