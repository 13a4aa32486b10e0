using Opossum;

namespace AssemblyLine;

/// <summary>Releases orders, some for each machine, whenever the order board shows no waiting order.</summary>
internal sealed class Planner(IEventStore store, IProjectionStore<OrderProgress> orderBoard, LineSettings settings, Random random)
{
    private static readonly TimeSpan lookInterval = TimeSpan.FromMilliseconds(500);
    private static readonly string[] articles = ["bracket", "hinge", "housing", "lever", "valve"];

    private readonly ShopFloor floor = new(store);

    public async Task RunAsync(CancellationToken stop)
    {
        try
        {
            while (true)
            {
                if (!await orderBoard.FindAsync([OrderBoard.Tagged(OrderStatus.Waiting)], stop).AnyAsync(stop))
                    await ReleaseAsync(stop);
                await Task.Delay(lookInterval, stop);
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The shift is over.
        }
    }

    private async Task ReleaseAsync(CancellationToken stop)
    {
        var orders = Enumerable.Range(0, settings.Machines)
            .Select(_ => (articles[random.Next(articles.Length)], Quantity: random.Next(5, 21)))
            .ToArray();
        var released = await floor.ReleaseOrdersAsync(orders);
        // The board follows the events with a short delay. Without this wait it might not show these orders yet, and more would be released.
        await orderBoard.WaitForAsync(released!.Value.LastPosition, stop);
    }
}
