using Opossum;

namespace AssemblyLine;

/// <summary>Sees to it that machines find orders: releases more of them whenever the order board shows too few that wait.</summary>
internal sealed class Planner(IEventStore store, IProjectionStore<OrderProgress> orderBoard, LineSettings settings, Random random)
{
    private static readonly TimeSpan lookInterval = TimeSpan.FromMilliseconds(250);
    private static readonly string[] articles = ["bracket", "hinge", "housing", "lever", "valve"];

    private readonly ShopFloor floor = new(store);

    public async Task RunAsync(CancellationToken stop)
    {
        try
        {
            while (true)
            {
                var waiting = await orderBoard.FindAsync([OrderBoard.Tagged(OrderStatus.Waiting)], stop).CountAsync(stop);
                if (waiting < settings.Machines)
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
        var orders = Enumerable.Range(0, 2 * settings.Machines)
            .Select(_ => (articles[random.Next(articles.Length)], Quantity: random.Next(5, 26)))
            .ToArray();
        var released = await floor.ReleaseOrdersAsync(orders);
        // The board is a little behind the events. Without this wait it could show too few orders, and more would be released.
        await orderBoard.WaitForAsync(released!.Value.LastPosition, stop);
    }
}
