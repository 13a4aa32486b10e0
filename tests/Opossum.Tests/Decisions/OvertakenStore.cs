namespace Opossum.Tests.Decisions;

/// <summary>A store whose appends somebody overtakes: each of the first ones waits until something else has been done.</summary>
internal sealed class OvertakenStore(IEventStore store, Func<Task> overtake, int times = 1) : IEventStore
{
    private int left = times;

    public async Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        if (left-- > 0)
            await overtake();
        return await store.AppendAsync(events, condition, cancellationToken);
    }

    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default) =>
        store.ReadAsync(query, options, cancellationToken);

    public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) => store.GetHeadAsync(cancellationToken);

    public Task<StoreStatus> GetStatusAsync(bool withSizes = false, CancellationToken cancellationToken = default) =>
        store.GetStatusAsync(withSizes, cancellationToken);

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
        store.SubscribeAsync(query, after, cancellationToken);
}
