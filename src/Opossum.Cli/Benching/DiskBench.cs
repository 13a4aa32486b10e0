using System.Diagnostics;
using System.Globalization;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Benching;

/// <summary>Measures a store, and what the disk itself takes, in a folder that it removes at the end.</summary>
/// <param name="folder">An existing folder on the disk or share.</param>
/// <param name="time">How long all of it may take.</param>
internal sealed class DiskBench(string folder, TimeSpan time)
{
    public const string RawFlush = "flush of a written file";
    public const string RawCreation = "file: create, write, close";
    public const string RawFile = "file: create, write, flush, close";
    public const string LoneAppend = "append, one caller";
    public const string ConcurrentAppends = "append, 50 callers";
    public const string BatchAppend = "append of 100 events";

    private const int Callers = 50;
    private const int Batch = 100;
    private const int Orders = 100;

    // About the length of an event file.
    private static readonly byte[] bytes = new byte[430];

    private readonly string scratch = Path.Combine(folder, $"opossum-bench-{Guid.NewGuid():N}");
    private readonly List<BenchFigure> figures = [];
    private readonly List<TimeSpan> times = [];
    private int next;

    public async Task<(StoreStatus Status, IReadOnlyList<BenchFigure> Figures)> RunAsync(IProgress<Step> progress,
        CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(scratch);
        try
        {
            return (await MeasureAsync(progress, cancellationToken).ConfigureAwait(false), figures);
        }
        finally
        {
            Directory.Delete(scratch, recursive: true);
        }
    }

    private async Task<StoreStatus> MeasureAsync(IProgress<Step> progress, CancellationToken cancellationToken)
    {
        var options = new OpossumOptions { Path = Path.Combine(scratch, "store") };
        var store = await FileSystemEventStore.OpenAsync(options, cancellationToken).ConfigureAwait(false);
        StoreStatus status;
        (string Name, string Unit, int Units, double Share, Func<Task> Operation)[] parts =
        [
            (RawFlush, "writes", 1, 0.1, () => Done(WriteAndFlush)),
            (RawCreation, "files", 1, 0.1, () => Done(() => CreateFile(flush: false))),
            (RawFile, "files", 1, 0.1, () => Done(() => CreateFile(flush: true))),
            (LoneAppend, "events", 1, 0.2, () => store.AppendAsync([NewEvent()])),
            (ConcurrentAppends, "events", Callers, 0.2, () => Task.WhenAll(NewEvents(Callers).Select(each => store.AppendAsync([each])))),
            (BatchAppend, "events", Batch, 0.1, () => store.AppendAsync([.. NewEvents(Batch)])),
        ];
        try
        {
            for (var at = 0; at < parts.Length; at++)
            {
                var (name, unit, units, share, operation) = parts[at];
                progress.Report(new Step($"Measuring: {name}", at, parts.Length, "parts"));
                await MeasureAsync(name, unit, units, time * share, operation, cancellationToken).ConfigureAwait(false);
            }
            var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
            var ofOne = await CountAsync(store, OneOrder()).ConfigureAwait(false);
            await MeasureAsync("read by tag", "events", ofOne, time * 0.05, () => CountAsync(store, OneOrder()), cancellationToken)
                .ConfigureAwait(false);
            await MeasureAsync("read of all events", "events", (int)head, time * 0.05, () => CountAsync(store, Query.All), cancellationToken)
                .ConfigureAwait(false);
            status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            await store.DisposeAsync().ConfigureAwait(false);
        }
        await MeasureAsync("opening the store", "openings", 1, time * 0.05, async () =>
        {
            var opened = await FileSystemEventStore.OpenAsync(options, cancellationToken).ConfigureAwait(false);
            await opened.DisposeAsync().ConfigureAwait(false);
        }, cancellationToken).ConfigureAwait(false);
        return status;
    }

    private async Task MeasureAsync(string name, string unit, int units, TimeSpan most, Func<Task> operation, CancellationToken cancellationToken)
    {
        // The first one compiles code and creates folders.
        await operation().ConfigureAwait(false);
        times.Clear();
        var began = Stopwatch.GetTimestamp();
        do
        {
            cancellationToken.ThrowIfCancellationRequested();
            var started = Stopwatch.GetTimestamp();
            await operation().ConfigureAwait(false);
            times.Add(Stopwatch.GetElapsedTime(started));
        }
        while (Stopwatch.GetElapsedTime(began) < most);
        figures.Add(BenchFigure.Of(name, unit, units, times));
    }

    private void CreateFile(bool flush)
    {
        using var file = new FileStream(NewPath(), FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0);
        file.Write(bytes);
        if (flush)
            file.Flush(flushToDisk: true);
    }

    private void WriteAndFlush()
    {
        using var file = new FileStream(Path.Combine(scratch, "log"), FileMode.OpenOrCreate, FileAccess.Write, FileShare.None, bufferSize: 0);
        file.Write(bytes);
        file.Flush(flushToDisk: true);
    }

    private string NewPath() => Path.Combine(scratch, (++next).ToString(CultureInfo.InvariantCulture));

    private NewEvent NewEvent()
    {
        var number = Interlocked.Increment(ref next);
        return Opossum.NewEvent.FromJson("order-changed",
            $$"""{"orderId":"o{{number % Orders}}","line":{{number % 7}},"quantity":12,"note":"measured by opossum bench"}""",
            new Tag("order", $"o{number % Orders}"), new Tag("customer", $"c{number % 10}"));
    }

    private NewEvent[] NewEvents(int count) => [.. Enumerable.Range(0, count).Select(_ => NewEvent())];

    private static Query OneOrder() => Query.FromTags(new Tag("order", "o1"));

    private static async Task<int> CountAsync(FileSystemEventStore store, Query query)
    {
        var count = 0;
        await foreach (var _ in store.ReadAsync(query).ConfigureAwait(false))
            count++;
        return count;
    }

    private static Task Done(Action operation)
    {
        operation();
        return Task.CompletedTask;
    }
}
