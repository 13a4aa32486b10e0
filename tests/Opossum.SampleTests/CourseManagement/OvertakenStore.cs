namespace Opossum.SampleTests.CourseManagement;

/// <summary>A store with somebody else who does something before every append.</summary>
internal sealed class OvertakenStore(IEventStore store, Func<IEventStore, Task> overtake) : IEventStore
{
    public async ValueTask<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null, CancellationToken cancellationToken = default)
    {
        await overtake(store);
        return await store.AppendAsync(events, condition, cancellationToken);
    }

    public EventStream ReadAsync(Query query, ReadOptions? options = null) => store.ReadAsync(query, options);

    public ValueTask<long> GetHeadAsync(CancellationToken cancellationToken = default) => store.GetHeadAsync(cancellationToken);

    public ValueTask<StoreStatus> GetStatusAsync(bool withSizes = false, CancellationToken cancellationToken = default) => store.GetStatusAsync(withSizes, cancellationToken);

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) => store.SubscribeAsync(query, after, cancellationToken);
}
