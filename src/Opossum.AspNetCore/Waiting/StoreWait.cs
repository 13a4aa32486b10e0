namespace Opossum.AspNetCore.Waiting;

/// <summary>Waits for a store.</summary>
/// <param name="serviceKey">The store's key; null: the store without a key.</param>
internal sealed class StoreWait(object? serviceKey) : PositionWait
{
    public override async Task WaitAsync(IServiceProvider services, long position, CancellationToken cancellationToken)
    {
        var store = StoreOf(services);
        // What is there is not waited for, however short the limit is.
        if (position <= await store.GetHeadAsync(CancellationToken.None).ConfigureAwait(false))
            return;
        // The first event after the position before it is the event at the position.
        await using var events = store.SubscribeAsync(Query.All, position - 1, cancellationToken).GetAsyncEnumerator(CancellationToken.None);
        await events.MoveNextAsync().ConfigureAwait(false);
    }

    public override Task<long> GetHeadAsync(IServiceProvider services, CancellationToken cancellationToken) =>
        StoreOf(services).GetHeadAsync(cancellationToken);

    private IEventStore StoreOf(IServiceProvider services) => ServiceOf<IEventStore>(services, serviceKey);
}
