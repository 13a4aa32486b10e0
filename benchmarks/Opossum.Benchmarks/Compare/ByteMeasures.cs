using System.Text;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Compare;

/// <summary>The memory an open store holds, and the allocations of reads and appends. Counted, not timed.</summary>
internal sealed class ByteMeasures(Comparison comparison)
{
    private const int Appends = 500;

    public async Task RunAsync()
    {
        var events = comparison.Settings.Events;
        await using var entrant = await comparison.Stores.OpenAsync(ContenderName.Opossum, events, () => new EventFeed(events));
        await entrant.Store.CloseAsync();
        var before = GC.GetTotalMemory(forceFullCollection: true);
        await entrant.Store.OpenAsync();
        var held = GC.GetTotalMemory(forceFullCollection: true) - before;
        comparison.Note(Measure.BytesPerEvent, (held - TagTextBytes(entrant.Events)) / (double)entrant.Events);
        comparison.Note(Measure.BytesPerEventRead,
            await AllocatedAsync(() => Task.FromResult<Func<Task>>(() => entrant.Store.ReadAsync(null, PayloadAs.Bytes))) / entrant.Events);
        comparison.Note(Measure.BytesPerEventAppended, await AllocatedAsync(entrant.Alone(Appends).PrepareAsync) / Appends);
    }

    // Measured the second time, so that one-time allocations, such as tag objects, do not count.
    private static async Task<double> AllocatedAsync(Func<Task<Func<Task>>> prepare)
    {
        await (await prepare())();
        var work = await prepare();
        var before = GC.GetTotalAllocatedBytes(precise: true);
        await work();
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }

    private long TagTextBytes(int events)
    {
        var orders = Enumerable.Range(0, (events + EventFeed.EventsPerOrder - 1) / EventFeed.EventsPerOrder).Select(EventFeed.Order);
        var machines = Enumerable.Range(0, EventFeed.MachinesOf(comparison.Settings.Events)).Select(EventFeed.Machine);
        return orders.Concat(machines).Sum(tag => Encoding.UTF8.GetByteCount(tag.ToString()));
    }
}
