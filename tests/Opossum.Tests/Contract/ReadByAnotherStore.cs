namespace Opossum.Tests.Contract;

/// <summary>A store that appends, and one that is open for reading only and reads what the other has appended.</summary>
internal sealed class ReadByAnotherStore(FileSystemEventStore store, FileSystemEventStore reader)
    : ForwardingStore(store), IAsyncDisposable
{
    private readonly FileSystemEventStore store = store;

    public override EventStream ReadAsync(Query query, ReadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        reader.ReadAsync(query, options, cancellationToken);

    public override Task<long> GetHeadAsync(CancellationToken cancellationToken = default) =>
        reader.GetHeadAsync(cancellationToken);

    public override IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0,
        CancellationToken cancellationToken = default) => reader.SubscribeAsync(query, after, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await reader.DisposeAsync();
        await store.DisposeAsync();
    }
}
