using Opossum.Decisions;

namespace Opossum.Testing.Given;

/// <summary>The store that a scenario's code gets: it notes the queries, and checks each decision projection.</summary>
/// <param name="isWatching">Whether queries are noted now. Null, the default: always.</param>
internal sealed class WatchedStore(IEventStore inner, TestClock clock, Func<bool>? isWatching = null) : IEventStore, IDecisionControl
{
    private readonly Lock gate = new();
    private readonly List<Query> queries = [];
    private readonly List<(AppendCondition, AppendResult)> appends = [];

    /// <summary>The queries of reads, conditions and subscriptions so far.</summary>
    public IReadOnlyList<Query> Queries
    {
        get
        {
            lock (gate)
                return [.. queries];
        }
    }

    /// <summary>The appends under conditions so far, and what they have stored.</summary>
    public IReadOnlyList<(AppendCondition Condition, AppendResult Appended)> Appends
    {
        get
        {
            lock (gate)
                return [.. appends];
        }
    }

    /// <summary>What is wrong with a decision projection; null: nothing was found.</summary>
    public string? Impurity { get; private set; }

    public async Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        if (condition is null)
            return await inner.AppendAsync(events, condition, cancellationToken).ConfigureAwait(false);
        Note(condition.FailIfEventsMatch);
        var appended = await inner.AppendAsync(events, condition, cancellationToken).ConfigureAwait(false);
        lock (gate)
            appends.Add((condition, appended));
        return appended;
    }

    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default)
    {
        Note(query);
        return inner.ReadAsync(query, options, cancellationToken);
    }

    public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) => inner.GetHeadAsync(cancellationToken);

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default)
    {
        Note(query);
        return inner.SubscribeAsync(query, after, cancellationToken);
    }

    public async Task CheckAsync<TState>(DecisionProjection<TState> projection, CancellationToken cancellationToken) =>
        Impurity ??= await PurityCheck.FindAsync(inner, projection, clock, cancellationToken).ConfigureAwait(false);

    private void Note(Query? query)
    {
        if (query is null || isWatching?.Invoke() == false)
            return;
        lock (gate)
            queries.Add(query);
    }
}
