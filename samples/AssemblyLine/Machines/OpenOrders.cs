using Opossum;

namespace AssemblyLine;

/// <summary>The orders waiting for a machine, as far as this process has read.</summary>
/// <remarks>It may be out of date, which does no harm: the decision finds out whether an order is still free.</remarks>
internal sealed class OpenOrders(IEventStore store)
{
    private static readonly Query releasedAndClaimed = Query.For<OrderReleased, OrderClaimed>();

    private readonly SortedSet<int> orders = [];
    private long seen;

    /// <summary>Returns the first order, waiting until there is one. All waiting machines see it at the same time and race for it.</summary>
    public async Task<int> FirstAsync(CancellationToken stop)
    {
        while (true)
        {
            await CatchUpAsync(stop);
            if (orders.Count > 0)
                return orders.Min;
            // A subscription delivers the next such event as soon as any process has appended it.
            await store.SubscribeAsync(releasedAndClaimed, after: seen, stop).FirstAsync(stop);
        }
    }

    private async Task CatchUpAsync(CancellationToken stop)
    {
        var events = store.ReadAsync(releasedAndClaimed, new ReadOptions { After = seen }, stop);
        await foreach (var e in events)
        {
            if (e.Data is OrderReleased released)
                orders.Add(released.Order);
            else if (e.Data is OrderClaimed claimed)
                orders.Remove(claimed.Order);
        }
        seen = events.Head;
    }
}
