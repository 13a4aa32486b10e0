using System.Globalization;
using Opossum.Benchmarks.Ages;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;
using Opossum.Storage;
using Opossum.Testing.Simulated;

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
            static () => new EventFeed(1)
            {
                TypeOf = static number => number % 1_000 == 1 ? 1 : number % 100 == 2 ? 2 : number % 10 == 3 ? 3 : 0,
            },
            filled: events);
        (int Type, int Events)[] types = [(1, events / 1_000), (2, events / 100), (3, events / 10)];
        await run.MeasureAsync(Repeats, [.. types.Select(type => ($"{Number.Whole(type.Events)} events by type",
            AppendRows.SlicesOf(entrants.All,
                store => Read(store, _ => new Wanted(Type: EventFeed.TypeName(type.Type)), type.Events))))]);
    }

    public static async Task PartitionsAsync(RowRun run)
    {
        var growing =
            Feeds(static () => new EventFeed(1) { OrderOf = static number => number / EventsOfEach });
        foreach (var count in tagCounts.Where(count => !run.IsShort || count == tagCounts[0]))
        {
            await MeasureStoreAsync(run, Tags(count), "by-tags", growing, count * EventsOfEach,
                each => EventFeed.Order(each % count));
        }
        foreach (var count in typeCounts.Where(count => !run.IsShort || count == typeCounts[0]))
        {
            var feeds = Feeds(() => new EventFeed(1)
            {
                OrderOf = static number => number % TagsWhereTypesGrow,
                TypeOf = number => number % count,
            });
            await MeasureStoreAsync(run, Types(count), $"by-{count}-types", feeds, count * EventsOfEach,
                each => new Wanted(Type: EventFeed.TypeName(each % count)));
        }
    }

    public static async Task OpeningAsync(RowRun run)
    {
        foreach (var events in run.IsShort ? [20_000] : new[] { 100_000, 1_000_000 })
        {
            var feed = new AgesFeed(events);
            var (path, sqlitePath) = (run.Folder.Below($"store-{events}"), run.Folder.Below($"sqlite-{events}"));
            AgesStore.Make(path, feed, AgesLedger.Ends, run.CancellationToken);
            using (new SqliteContenderFilled(sqlitePath, feed, run.CancellationToken))
            {
            }
            var options = new OpossumOptions { Path = path };
            await using (var made = await FileSystemEventStore.OpenAsync(options, run.CancellationToken))
                made.MakeRuns();
            run.Folder.Settle();
            await using var store = Contender.CreateStore(ContenderName.Opossum, path);
            await using var sqlite = Contender.CreateStore(ContenderName.Sqlite, sqlitePath);
            var number = 0;
            await run.MeasureAsync(1, ($"{Number.Whole(events)} events: opening, then 10 by tag",
                [.. new[] { store, sqlite }.Select(each => Open(each, () => feed.Order(number++)))]));
        }
        await CountAsync(run);
    }

    // What an opening does when nothing is to be mended, operation by operation.
    private static async Task CountAsync(RowRun run)
    {
        var clock = new SimulatedClock();
        var disk = new SimulatedDisk(VolumeKind.Ext4, clock);
        async Task UseAsync(Func<FileSystemEventStore, Task> use)
        {
            var options = new OpossumOptions { TimeProvider = new TimerlessClock(clock) };
            var runs = new RunSettings { InBackground = false };
            await using var store = FileSystemEventStore.Open(options, disk.Attach(), "/store", runs: runs);
            await use(store);
        }
        await UseAsync(static store => store.AppendAsync(new EventFeed(1).Take(EventsOfEach)));
        var counted = disk.Trace = [];
        await UseAsync(static async store => await store.ReadAsync(Query.FromTags(EventFeed.Order(1))).CountAsync());
        run.Report.Row("opening, then 10 by tag, on a simulated disk", ContenderName.Opossum, "", "", "", "",
            Number.Whole(counted.Count(static each => each.IsFlush)),
            Number.Whole(counted.Count(static each => each.Kind == OperationKind.Write)));
    }

    private static List<(string Name, EventFeed Feed)> Feeds(Func<EventFeed> feed) =>
        [.. stores.Select(name => (name, feed()))];

    private static async Task MeasureStoreAsync(RowRun run, string of, string purpose,
        List<(string Name, EventFeed Feed)> feeds, int events, Func<int, Wanted> each)
    {
        async Task<Entrants> OpenAsync(bool flush)
        {
            var entrants = new Entrants();
            foreach (var (name, feed) in feeds)
            {
                var path = run.Folder.Below($"{purpose}-{name}");
                await entrants.AddAsync(run.OpenFilledAsync(path, name, feed, flush, events));
            }
            return entrants;
        }
        await using (var entrants = await OpenAsync(flush: true))
        {
            IReadOnlyList<Slice> Slices(Func<Entrant, Slice> slice) => AppendRows.SlicesOf(entrants.All, slice);
            await run.MeasureAsync(1, (of + Opening, Slices(static store => Open(store.Store))));
            await run.MeasureAsync(Repeats,
                (of + $"the {EventsOfEach} events of one", Slices(store => Read(store, each, EventsOfEach))),
                (of + OneEvent, Slices(store => Read(store, number => new Wanted(At: 1 + number % events), 1))),
                (of + "an append", Slices(static store => store.Alone(1))));
        }
        await using var notFlushed = await OpenAsync(flush: false);
        await run.MeasureAsync(Repeats,
            (of + AppendNotFlushed, AppendRows.SlicesOf(notFlushed.All, static store => store.Alone(1))));
    }

    /// <summary>Opens a store that exists, and reads what is wanted.</summary>
    private static Slice Open(IStoreContender store, Func<Wanted>? wanted = null) => new(store.Name, 1, async () =>
    {
        await store.CloseAsync();
        return async () =>
        {
            await store.OpenAsync();
            if (wanted is not null)
                await store.ReadAsync(wanted(), PayloadAs.Bytes);
        };
    });

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
                    throw new InvalidDataException($"{store.Name} found {found.Events} of {expected}: {next}.");
            };
        });
    }
}
