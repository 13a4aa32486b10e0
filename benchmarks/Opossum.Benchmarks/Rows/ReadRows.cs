using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Rows;

/// <summary>Reads by event type, and stores with many tags and types.</summary>
internal static class ReadRows
{
    public const string Opening = "opening";
    public const string AppendNotFlushed = "an append, not flushed";
    public const string OneEvent = "one event by its position";

    private const int Repeats = 25;
    private const int EventsOfEach = 20;
    private const int TagsWhereTypesGrow = 100;

    private static readonly int[] tagCounts = [100, 1_000, 5_000, 10_000, 20_000];
    private static readonly int[] typeCounts = [100, 1_000, 5_000];
    private static readonly string[] stores = [ContenderName.Opossum, ContenderName.Sqlite];

    public static string Tags(int count) => string.Create(CultureInfo.InvariantCulture, $"{count:N0} tags: ");

    public static string Types(int count) => string.Create(CultureInfo.InvariantCulture, $"{count:N0} types: ");

    public static async Task TypesAsync(RowRun run)
    {
        var events = run.Size(100_000, 10_000);
        // Of each thousand events one has the first type, ten have the second and a hundred the third.
        await using var entrants = await run.OpenAsync("types", stores,
            static () => new EventFeed(1) { TypeOf = static number => number % 1_000 == 1 ? 1 : number % 100 == 2 ? 2 : number % 10 == 3 ? 3 : 0 },
            filled: events);
        await run.MeasureAsync(Repeats, [.. new (int Type, int Share)[] { (1, 1_000), (2, 100), (3, 10) }.Select(each =>
            (string.Create(CultureInfo.InvariantCulture, $"{events / each.Share:N0} events by type"),
                AppendRows.SlicesOf(entrants.All, store => Read(store, EventFeed.TypeName(each.Type), events / each.Share))))]);
    }

    public static async Task PartitionsAsync(RowRun run)
    {
        var growing = stores.Select(static name => (Name: name, Feed: new EventFeed(1) { OrderOf = static number => number / EventsOfEach })).ToList();
        foreach (var count in tagCounts.Where(count => !run.IsShort || count == tagCounts[0]))
        {
            await MeasureStoreAsync(run, Tags(count), "by-tags", growing, count * EventsOfEach,
                each => EventFeed.Order(each % count));
        }
        foreach (var count in typeCounts.Where(count => !run.IsShort || count == typeCounts[0]))
        {
            var feeds = stores.Select(name => (name,
                new EventFeed(1) { OrderOf = static number => number % TagsWhereTypesGrow, TypeOf = number => number % count })).ToList();
            await MeasureStoreAsync(run, Types(count), $"by-{count}-types", feeds, count * EventsOfEach,
                each => new Wanted(Type: EventFeed.TypeName(each % count)));
        }
    }

    private static async Task MeasureStoreAsync(RowRun run, string of, string purpose, List<(string Name, EventFeed Feed)> feeds, int events,
        Func<int, Wanted> each)
    {
        string PathOf(string name) => run.Folder.Below($"{purpose}-{name}");
        async Task<Entrants> OpenAsync(bool flush)
        {
            var entrants = new Entrants();
            foreach (var (name, feed) in feeds)
                await entrants.AddAsync(run.OpenFilledAsync(PathOf(name), name, feed, flush, events));
            return entrants;
        }
        await using (var entrants = await OpenAsync(flush: true))
        {
            await run.MeasureAsync(1, (of + Opening, AppendRows.SlicesOf(entrants.All, static store => new Slice(store.Name, 1, async () =>
            {
                await store.Store.CloseAsync();
                return store.Store.OpenAsync;
            }))));
            await run.MeasureAsync(Repeats,
                (of + $"the {EventsOfEach} events of one", AppendRows.SlicesOf(entrants.All, store => Read(store, each, EventsOfEach))),
                (of + OneEvent, AppendRows.SlicesOf(entrants.All, store => Read(store, number => new Wanted(At: 1 + number % events), 1))),
                (of + "an append", AppendRows.SlicesOf(entrants.All, static store => store.Alone(1))));
        }
        await using var notFlushed = await OpenAsync(flush: false);
        await run.MeasureAsync(Repeats, (of + AppendNotFlushed, AppendRows.SlicesOf(notFlushed.All, static store => store.Alone(1))));
    }

    private static Slice Read(Entrant store, string type, int expected) => Read(store, _ => new Wanted(Type: type), expected);

    // Another one each time, and never one's neighbour.
    private static Slice Read(Entrant store, Func<int, Wanted> wanted, int expected)
    {
        var number = 0;
        return new Slice(store.Name, 1, () =>
        {
            var next = wanted((int)(number++ * 7919L % int.MaxValue));
            return async () =>
            {
                if (await store.Store.ReadAsync(next, PayloadAs.Bytes) is var found && found.Events < expected)
                    throw new InvalidDataException($"{store.Name} found {found.Events} events of {next}, not {expected}.");
            };
        });
    }
}
