namespace Opossum.Projections;

/// <summary>What a projection does with the events of a type: whose states they change, and how. Exactly one of the first two is there.</summary>
internal sealed record ProjectionHandler<TState>(Func<SequencedEvent, string>? Key, Func<SequencedEvent, IEnumerable<string>>? Keys, Func<TState?, SequencedEvent, TState?> Apply)
    where TState : class;
