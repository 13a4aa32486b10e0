using Opossum;

namespace AssemblyLine;

/// <summary>The orders that wait for a machine, as far as this process has heard: a subscription to what is released and claimed, by anybody.</summary>
/// <remarks>What it tells may be late, and that does no harm: whether an order is still free is for the decision to find out.</remarks>
internal sealed class OpenOrders
{
    private readonly Lock gate = new();
    private readonly SortedSet<int> orders = [];

    public int? First
    {
        get
        {
            lock (gate)
                return orders.Count > 0 ? orders.Min : null;
        }
    }

    public async Task FollowAsync(IEventStore store, CancellationToken stop)
    {
        var query = Query.FromEventTypes(OrderReleased.TypeName, OrderClaimed.TypeName);
        await foreach (var e in store.SubscribeAsync(query, cancellationToken: stop))
        {
            lock (gate)
            {
                if (e.Data is OrderReleased released)
                    orders.Add(released.Order);
                else if (e.Data is OrderClaimed claimed)
                    orders.Remove(claimed.Order);
            }
        }
    }
}
