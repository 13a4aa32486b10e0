using System.Diagnostics;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;
using Opossum.Benchmarks.Sealing;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Spectre.Console;

namespace Opossum.Benchmarks.Scale;

/// <summary>
/// Fills one store with durable appends and watches what changes as it grows. The appends go through a journal, and older folders are sealed
/// meanwhile, so that the disk never has to hold a file for each event.
/// </summary>
internal sealed class ScaleRun(string path, int events, CancellationToken cancellationToken)
{
    public const int Steps = 10;
    private const int LoneAppends = 50, Queries = 200, Block = 4096;
    private const int FoldersUnsealed = 1;

    private readonly List<ScaleStep> steps = [];
    private readonly List<Tag> orders = [];
    private long filesMax;

    public IReadOnlyList<ScaleStep> Sizes => steps;

    public async Task<ScaleResult> RunAsync()
    {
        var store = new OpossumContender(path, useJournal: true) { SealsAllButNewest = FoldersUnsealed };
        await using var entrant = new Entrant(store, new EventFeed(events));
        var filling = await FillAsync(entrant);
        var following = await TimeAsync(() => Work(async () =>
        {
            // Writes the event files of what is in the journal.
            await store.CloseAsync();
            await StoreSealing.SealAsync(path, keepNewestFolders: FoldersUnsealed, cancellationToken: cancellationToken);
        }));
        var size = StoreSize.Measure(path, entrant.Events);
        await store.OpenAsync();
        await entrant.VerifyAsync();
        await store.CloseAsync();
        var before = HeapMemory.Measure();
        await store.OpenAsync();
        var memory = HeapMemory.Measure() - before;
        var open = await MeasureAsync(10, 1, async () =>
        {
            await store.CloseAsync();
            return store.OpenAsync;
        });
        var scan = await MeasureAsync(5, entrant.Events, () => Work(() => store.ReadAsync(null, PayloadAs.Bytes)));
        var machine = 0;
        var query =
            await MeasureAsync(100, 1,
                () => Work(() => store.ReadAsync(EventFeed.Machine(machine++ % EventFeed.MachinesOf(events)), PayloadAs.Bytes)));
        await store.CloseAsync();
        store.DeleteIndex();
        var started = Stopwatch.GetTimestamp();
        await store.OpenAsync();
        var rebuild = Stopwatch.GetElapsedTime(started);
        await entrant.VerifyAsync();
        var layout = new StoreLayout(path);
        return new ScaleResult(entrant.Events, filling, following, filesMax, size, BytesBelow(layout.Index), memory, open, scan, query, rebuild);
    }

    private async Task<TimeSpan> FillAsync(Entrant entrant)
    {
        var filling = TimeSpan.Zero;
        await entrant.Store.OpenAsync();
        for (var step = 1; step <= Steps; step++)
        {
            var goal = (int)((long)events * step / Steps) - LoneAppends;
            var first = entrant.Events;
            var taken = TimeSpan.Zero;
            while (entrant.Events < goal)
            {
                orders.Add(EventFeed.OrderOfWriter(entrant.Events));
                taken += await TimeAsync(entrant.Concurrently(Entrant.Writers, EventFeed.EventsPerOrder).PrepareAsync);
            }
            var concurrent = taken.TotalMicroseconds / (entrant.Events - first);
            var lone = await MeasureAsync(LoneAppends, 1, entrant.Alone(1).PrepareAsync);
            filling += taken;
            var queried = 0;
            var query = await MeasureAsync(Queries, 1, () => Work(() => entrant.Store.ReadAsync(orders[queried++ % orders.Count], PayloadAs.Bytes)));
            filesMax = Math.Max(filesMax, Directory.EnumerateFiles(path, "*", SearchOption.AllDirectories).LongCount());
            steps.Add(new ScaleStep(entrant.Events, concurrent, lone, query, GC.GetTotalMemory(forceFullCollection: true)));
            AnsiConsole.WriteLine($"{Number.Whole(entrant.Events)} events: {Number.Rate(concurrent)} events/s by {Entrant.Writers} concurrent "
                + $"writers, a lone append {Number.Time(lone.Median)}");
        }
        return filling;
    }

    // The first time warms up.
    private async Task<Distribution> MeasureAsync(int times, int operations, Func<Task<Func<Task>>> prepare)
    {
        var measured = new List<double>();
        for (var at = 0; at <= times; at++)
        {
            var taken = await TimeAsync(prepare);
            if (at > 0)
                measured.Add(taken.TotalMicroseconds / operations);
        }
        return new Distribution(measured);
    }

    private async Task<TimeSpan> TimeAsync(Func<Task<Func<Task>>> prepare)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var work = await prepare();
        var started = Stopwatch.GetTimestamp();
        await work();
        return Stopwatch.GetElapsedTime(started);
    }

    private static Task<Func<Task>> Work(Func<Task> work) => Task.FromResult(work);

    // A run that is being made loses its first name meanwhile.
    private static long BytesBelow(string folder) =>
        new DirectoryInfo(folder).EnumerateFiles("*", SearchOption.AllDirectories).Where(static file => file.Exists)
            .Sum(file => (file.Length + Block - 1) / Block * Block);
}
