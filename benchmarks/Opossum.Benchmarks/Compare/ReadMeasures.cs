using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Compare;

/// <summary>Reads by tag and of all events, as bytes and as objects; all contenders must find the same.</summary>
internal sealed class ReadMeasures(Comparison comparison)
{
    private readonly Dictionary<(string Measure, int Round), ReadTotals> found = [];

    public async Task RunAsync()
    {
        var events = comparison.Settings.Events;
        await using var entrants = new Entrants();
        foreach (var name in Comparison.StoreContenders)
            await entrants.AddAsync(comparison.Stores.OpenAsync(name, events, () => new EventFeed(events)));
        var stores = entrants.All;
        await LevelAsync(stores);
        Tag OrderOf(int query) => EventFeed.Order((int)(query * 7919L % (events / EventFeed.EventsPerOrder)));
        Tag MachineOf(int query) => EventFeed.Machine(query % EventFeed.MachinesOf(events));
        await QueriesAsync(stores, 50, OrderOf, Measure.ShortQuery, Measure.ShortQueryObjects);
        await QueriesAsync(stores, 4, MachineOf, Measure.LongQuery, Measure.LongQueryObjects);
        await comparison.MeasureAsync(20, isPerEvent: false, (Measure.FirstLongQuery, [.. stores.Select(store => FirstQuery(store, MachineOf(0)))]));
        await comparison.MeasureAsync(15, isPerEvent: true,
            (Measure.Scan, Scans(stores, Measure.Scan, PayloadAs.Bytes, backwards: false)),
            (Measure.ScanObjects, Scans(stores, Measure.ScanObjects, PayloadAs.Object, backwards: false)),
            (Measure.ScanBackwards, Scans(stores, Measure.ScanBackwards, PayloadAs.Bytes, backwards: true)));
    }

    // Earlier runs may have added different numbers of events: from here on, all stores hold the same.
    private static async Task LevelAsync(IReadOnlyList<Entrant> stores)
    {
        var most = stores.Max(store => store.Events);
        foreach (var store in stores)
            await store.AppendAsync(AppendWay.Alone, most - store.Events);
    }

    private Task QueriesAsync(IReadOnlyList<Entrant> stores, int queries, Func<int, Tag> tagOf, string bytes, string objects) =>
        comparison.MeasureAsync(40, isPerEvent: false,
        (bytes, [.. stores.Select(store => Query(store, bytes, queries, tagOf, PayloadAs.Bytes))]),
        (objects, [.. stores.Select(store => Query(store, objects, queries, tagOf, PayloadAs.Object))]));

    private Slice Query(Entrant store, string measure, int queries, Func<int, Tag> tagOf, PayloadAs payload)
    {
        var round = 0;
        return new Slice(store.Name, queries, () =>
        {
            var first = round++ * queries;
            return async () =>
            {
                for (var query = first; query < first + queries; query++)
                    Compare(measure, query, await store.Store.ReadAsync(tagOf(query), payload));
            };
        });
    }

    private Slice FirstQuery(Entrant store, Tag tag) => new(store.Name, 1, async () =>
    {
        await store.Store.CloseAsync();
        await store.Store.OpenAsync();
        return async () => Compare(Measure.FirstLongQuery, 0, await store.Store.ReadAsync(tag, PayloadAs.Bytes));
    });

    private Slice[] Scans(IReadOnlyList<Entrant> stores, string measure, PayloadAs payload, bool backwards) =>
        [.. stores.Select(store => new Slice(store.Name, store.Events,
            () => async () => Compare(measure, 0, await store.Store.ReadAsync(null, payload, backwards))))];

    private void Compare(string measure, int round, ReadTotals totals)
    {
        if (!found.TryAdd((measure, round), totals) && found[(measure, round)] != totals)
            throw new InvalidDataException($"{measure}: one contender found {totals}, another {found[(measure, round)]}.");
    }
}
