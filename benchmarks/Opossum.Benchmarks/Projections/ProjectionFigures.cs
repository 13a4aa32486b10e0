using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Opossum.Projections.States;
using Opossum.Projections.Updating;
using Spectre.Console;

namespace Opossum.Benchmarks.Projections;

/// <summary>What projections cost: following events, building states from all events, several at once, and the memory that takes.</summary>
internal sealed class ProjectionFigures(WorkFolder folder, bool isShort)
{
    private const int AppendEvents = 1_000;
    private const int Models = 4;
    private const int EventsOfKey = 5;

    private readonly Table table = new Table().AddColumns("figure", "measured", "target", "");

    private int Events => isShort ? 5_000 : 100_000;

    public async Task<int> RunAsync()
    {
        await using (var store = await FillAsync("store", Events))
        {
            await FollowAsync(store);
            await BuildAsync(store, 1_000, 200_000);
            await BuildAsync(store, Events, 15_000);
            await BuildSeveralAsync(store, 100);
            await BuildSeveralAsync(store, 1_000);
        }
        await BuildManyAsync();
        AnsiConsole.Write(table);
        return 0;
    }

    // Reading, deserializing and applying; no state is written meanwhile.
    private async Task FollowAsync(FileSystemEventStore store)
    {
        var projection = new Tallies("follow", static e => e.KeyOf(1_000));
        _ = projection.Query;
        var host = store.ProjectionHost(new ProjectionOptions());
        var best = TimeSpan.MaxValue;
        for (var round = 0; round < 5; round++)
        {
            await using var term =
                await ProjectionTerm<Tally>.TryBeginAsync(host, projection, new ProjectionLayout(host.Folder, projection.Name),
                    CancellationToken.None);
            var builder = term!.Rebuild!;
            var clock = Stopwatch.StartNew();
            while (!builder.IsCaughtUp)
                await builder.StepAsync(CancellationToken.None);
            best = clock.Elapsed < best ? clock.Elapsed : best;
        }
        Add("following, without the write", best.TotalMicroseconds / Events, 5, "µs an event", lessIsBetter: true);
    }

    private async Task BuildAsync(FileSystemEventStore store, int keys, double target)
    {
        var best = TimeSpan.MaxValue;
        for (var round = 0; round < (isShort ? 1 : 3); round++)
        {
            var time = await BuildAsync(store, [new Tallies($"keys-{keys}-{round}", e => e.KeyOf(keys))]);
            best = time < best ? time : best;
        }
        Add($"building {Events:N0} events into {keys:N0} keys", Events / best.TotalSeconds, target, "events/s");
    }

    private async Task BuildSeveralAsync(FileSystemEventStore store, int keys)
    {
        Projection[] Some(string name) => [.. Enumerable.Range(0, Models).Select(at => new Tallies($"{name}-{keys}-{at}", e => e.KeyOf(keys)))];
        var oneByOne = TimeSpan.Zero;
        foreach (var projection in Some("alone"))
            oneByOne += await BuildAsync(store, [projection]);
        var together = await BuildAsync(store, Some("together"));
        Add($"{Models} models of {keys:N0} keys at once instead of one after the other", oneByOne / together, 1.6, "times faster");
    }

    private async Task BuildManyAsync()
    {
        var events = isShort ? 20_000 : 1_000_000;
        await using var store = await FillAsync("large", events);
        GC.Collect();
        var before = GC.GetTotalMemory(forceFullCollection: true);
        var peak = 0L;
        var options =
            new ProjectionOptions { RebuildProgress = new Sampler(() => peak = Math.Max(peak, GC.GetTotalMemory(forceFullCollection: false))) };
        var time = await BuildAsync(store, [new Tallies("large", e => e.KeyOfRun(EventsOfKey))], options);
        Add($"building {events:N0} events into {events / EventsOfKey:N0} keys", events / time.TotalSeconds, null, "events/s");
        Add("its memory beside the store's, at most", (peak - before) / 1e6, null, "MB managed, with garbage");
    }

    private static async Task<TimeSpan> BuildAsync(FileSystemEventStore store, Projection[] projections, ProjectionOptions? options = null)
    {
        var head = await store.GetHeadAsync();
        var clock = Stopwatch.StartNew();
        await using var runner = store.StartProjections(projections, options);
        foreach (var projection in projections)
            await store.Projections.Get<Tally>(projection.Name).WaitForAsync(head);
        return clock.Elapsed;
    }

    private async Task<FileSystemEventStore> FillAsync(string name, int events)
    {
        var options = new OpossumOptions { Path = folder.Below(name), FlushEventsImmediately = false };
        options.EventTypes.Add<Booked>();
        var store = await FileSystemEventStore.OpenAsync(options);
        for (var from = 0; from < events; from += AppendEvents)
        {
            await store.AppendAsync([.. Enumerable.Range(from,
                Math.Min(AppendEvents, events - from)).Select(number => new NewEvent(new Booked(number, number % 100, "what was booked")))]);
        }

        return store;
    }

    private void Add(string figure, double measured, double? target, string unit, bool lessIsBetter = false)
    {
        var isMet = target is null || (lessIsBetter ? measured <= target : measured >= target);
        table.AddRow(figure, string.Create(CultureInfo.InvariantCulture, $"{measured:#,0.##} {unit}"), target is null
            ? ""
            : string.Create(CultureInfo.InvariantCulture, $"{(lessIsBetter ? "at most" : "at least")} {target:#,0.##}"), target is null
            ? ""
            : isMet ? "met" : "missed");
    }

    private sealed class Sampler(Action sample) : IProgress<StoreProgress>
    {
        public void Report(StoreProgress value) => sample();
    }
}
