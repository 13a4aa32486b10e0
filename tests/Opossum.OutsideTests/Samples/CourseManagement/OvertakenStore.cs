namespace Opossum.SampleTests.CourseManagement;

/// <summary>A store with somebody else who does something before every append.</summary>
internal sealed class OvertakenStore(IEventStore store, Func<IEventStore, Task> overtake) : IEventStore
{
    public async Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        await overtake(store);
        return await store.AppendAsync(events, condition, cancellationToken);
    }

    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default) =>
        store.ReadAsync(query, options, cancellationToken);

    public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) => store.GetHeadAsync(cancellationToken);

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
        store.SubscribeAsync(query, after, cancellationToken);
}
