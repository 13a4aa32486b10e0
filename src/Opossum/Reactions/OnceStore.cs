namespace Opossum.Reactions;

/// <summary>A store whose append counts once.</summary>
internal sealed class OnceStore(ReactionHost host, Tag once) : IEventStore
{
    public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default) =>
        host.Appends.Once(events, condition, once, cancellationToken);

    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default) =>
        host.Store.ReadAsync(query, options, cancellationToken);

    public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) => host.Store.GetHeadAsync(cancellationToken);

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
        host.Store.SubscribeAsync(query, after, cancellationToken);
}
