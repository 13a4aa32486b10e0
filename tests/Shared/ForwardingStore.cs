namespace Opossum.Tests;

/// <summary>A store that forwards each call to another one. Tests override what they interfere with.</summary>
internal abstract class ForwardingStore(IEventStore store) : IEventStore
{
    public virtual Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default) =>
        store.AppendAsync(events, condition, cancellationToken);

    public virtual EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default) =>
        store.ReadAsync(query, options, cancellationToken);

    public virtual Task<long> GetHeadAsync(CancellationToken cancellationToken = default) => store.GetHeadAsync(cancellationToken);

    public virtual IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
        store.SubscribeAsync(query, after, cancellationToken);
}
