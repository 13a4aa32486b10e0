using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Compare;

/// <summary>Opening stores that were closed properly, their files in the system's cache; and rebuilding the index.</summary>
internal sealed class OpeningMeasures(Comparison comparison)
{
    public async Task RunAsync()
    {
        await OpenAsync(comparison.Settings.Events);
        await OpenAsync(comparison.Settings.EventsOfLargeStore);
        await RebuildAsync();
        foreach (var name in Comparison.StoreContenders)
            comparison.Stores.DeleteUnlessKept(name, comparison.Settings.EventsOfLargeStore);
    }

    private async Task OpenAsync(int events)
    {
        await using var entrants = new Entrants();
        var slices = new List<Slice>();
        foreach (var name in Comparison.StoreContenders)
        {
            var entrant = await entrants.AddAsync(comparison.Stores.OpenAsync(name, events, () => new EventFeed(events)));
            slices.Add(new Slice(name, 1, async () =>
            {
                await entrant.Store.CloseAsync();
                return entrant.Store.OpenAsync;
            }));
        }
        await comparison.MeasureAsync(15, isPerEvent: false, (Measure.Open(events), slices));
    }

    private async Task RebuildAsync()
    {
        var events = comparison.Settings.Events;
        await using var entrant = await comparison.Stores.OpenAsync(ContenderName.Opossum, events, () => new EventFeed(events));
        var store = (OpossumContender)entrant.Store;
        await comparison.MeasureAsync(5, isPerEvent: true, (Measure.Rebuild, [new Slice(entrant.Name, entrant.Events, async () =>
        {
            await store.CloseAsync();
            store.DeleteIndex();
            return store.OpenAsync;
        })]));
        await entrant.VerifyAsync();
    }
}
