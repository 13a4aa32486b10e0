using System.Diagnostics;
using Opossum.Benchmarks.Ages;
using Opossum.Benchmarks.Measuring;
using Opossum.FileSystem.Real;
using Opossum.Storage.Folders;
using Opossum.Storage.Sealing;

namespace Opossum.Benchmarks.Sealing;

/// <summary>Measures a store before and after its older folders are sealed.</summary>
internal sealed class SealedStoreRun(WorkFolder folder, int events, bool isShort, CancellationToken cancellationToken)
{
    private const int EventFilesMax = 1_100_000;
    private const int FewEvents = 10;
    private const int DeletersMax = 4;

    private readonly AgesFeed feed = new(events);
    private readonly string path = folder.Below($"store-{events}");
    private readonly Random random = new(1);

    private int Rounds => isShort ? 3 : 50;

    private bool HasEventFiles => events <= EventFilesMax;

    public async Task<SealedStoreResult> RunAsync()
    {
        AgesStore.Make(path, feed, HasEventFiles ? AgesLedger.EventFiles : AgesLedger.Sealed, cancellationToken);
        await using (var made = await OpenAsync())
        {
            // A second time deletes the runs that longer ones have replaced.
            made.MakeRuns();
            made.MakeRuns();
        }
        folder.Settle();
        var before = await MeasureAsync();
        double? deletedPerSecond = null;
        TimeSpan? copy = HasEventFiles ? TimeCopy("before", copied => deletedPerSecond = ReadAndDelete(Path.Combine(copied, "Events"))) : null;
        var sealing = Seal(keepNewest: 2);
        folder.Settle();
        TimeSpan? sealedCopy = HasEventFiles ? TimeCopy("sealed") : null;
        var after = await MeasureAsync();
        Seal(keepNewest: 1);
        var size = StoreSize.Measure(path, events);
        return new SealedStoreResult(events, size.CanonicalBytes, size.BytesOnDisk, size.Files, HasEventFiles ? sealing : null, deletedPerSecond,
            copy is null ? null : (copy.Value, sealedCopy!.Value), before, after);
    }

    private Task<FileSystemEventStore> OpenAsync() =>
        FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, cancellationToken);

    private (long Events, TimeSpan Time) Seal(int keepNewest)
    {
        using var fileSystem = RealFileSystem.Create();
        var store = new StoreFolder(fileSystem, path);
        store.Read();
        var started = Stopwatch.GetTimestamp();
        using var run = SealingRun.Begin(store, TimeProvider.System, static (_, _) => { }, cancellationToken)!;
        var report = run.Seal(keepNewest);
        return (report.Events, Stopwatch.GetElapsedTime(started));
    }

    private TimeSpan TimeCopy(string name, Action<string>? use = null)
    {
        var target = folder.Below($"copy-{name}-{events}");
        var started = Stopwatch.GetTimestamp();
        Copy(path, target);
        var time = Stopwatch.GetElapsedTime(started);
        use?.Invoke(target);
        WorkFolder.Delete(target);
        return time;
    }

    // What sealing does to the event files apart from its own work. Returns the files a second.
    private double ReadAndDelete(string root)
    {
        folder.Settle();
        var deleted = 0;
        var started = Stopwatch.GetTimestamp();
        var options = new ParallelOptions { MaxDegreeOfParallelism = DeletersMax, CancellationToken = cancellationToken };
        Parallel.ForEach(Directory.GetDirectories(root), options, below =>
        {
            var buffer = new byte[64 * 1024];
            foreach (var file in Directory.GetFiles(below))
            {
                using (var handle = File.OpenHandle(file))
                    RandomAccess.Read(handle, buffer, 0);
                File.Delete(file);
                Interlocked.Increment(ref deleted);
            }
        });
        return deleted / Stopwatch.GetElapsedTime(started).TotalSeconds;
    }

    // As a program that copies files one by one does.
    private void Copy(string from, string to)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Directory.CreateDirectory(to);
        foreach (var file in Directory.EnumerateFiles(from))
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
        foreach (var below in Directory.EnumerateDirectories(from))
            Copy(below, Path.Combine(to, Path.GetFileName(below)));
    }

    private async Task<SealedStoreReads> MeasureAsync()
    {
        await using var store = await OpenAsync();
        var scan = await MeasureScanAsync(store);
        var layout = new StoreLayout(path);
        var firstUnsealed = (int)layout.ShardOf(events) - layout.ShardPositions;
        var length = Math.Min(events / AgesFeed.OnceEach * AgesFeed.OnceEach - firstUnsealed, firstUnsealed);
        var middle = (int)layout.ShardOf(firstUnsealed / 2);
        var ofOneRange = await MeasureFewAsync(store, () => middle, length);
        var ofAnyRange = await MeasureFewAsync(store, () => random.Next(firstUnsealed - length), length);
        return new SealedStoreReads(scan, ofOneRange, ofAnyRange, await MeasureFewAsync(store, () => firstUnsealed, length));
    }

    // Ten tags that one event each has, other ones each time, in a range of a number of positions.
    private async Task<Distribution> MeasureFewAsync(FileSystemEventStore store, Func<int> start, int length)
    {
        var times = new List<double>();
        for (var begun = Stopwatch.GetTimestamp(); times.Count < 4 * Rounds;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var isWarm = Stopwatch.GetElapsedTime(begun) >= WarmUp.Of(isShort);
            var first = start();
            var spread = length / FewEvents;
            var query = Query.FromItems([.. Enumerable.Range(0, FewEvents).Select(each =>
            {
                var number = first + each * spread + AgesFeed.OnceEach + random.Next(spread - AgesFeed.OnceEach);
                return new QueryItem { Tags = [feed.Once(number / AgesFeed.OnceEach)] };
            })]);
            var started = Stopwatch.GetTimestamp();
            var (read, low, high) = (0, long.MaxValue, 0L);
            await foreach (var e in store.ReadAsync(query, cancellationToken: cancellationToken))
            {
                read += e.Json.Length > 0 ? 1 : 0;
                (low, high) = (Math.Min(low, e.Position), Math.Max(high, e.Position));
            }
            var time = Stopwatch.GetElapsedTime(started).TotalMicroseconds;
            if (read != FewEvents || low <= first || high > first + length)
                throw new CannotMeasureException($"A query found {read} events in {low} to {high}, not {FewEvents} after {first}, up to {first + length}.");
            if (isWarm)
                times.Add(time);
        }
        return new Distribution(times);
    }

    private async Task<Distribution> MeasureScanAsync(FileSystemEventStore store)
    {
        var measured = new List<double>();
        for (var begun = Stopwatch.GetTimestamp(); measured.Count < (isShort ? 2 : 5);)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var isWarm = Stopwatch.GetElapsedTime(begun) >= WarmUp.Of(isShort);
            var started = Stopwatch.GetTimestamp();
            var read = 0;
            await foreach (var e in store.ReadAsync(Query.All, cancellationToken: cancellationToken))
                read += e.Json.Length > 0 ? 1 : 0;
            if (read != events)
                throw new CannotMeasureException($"A scan found {read} events instead of {events}.");
            if (isWarm)
                measured.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds / events);
        }
        return new Distribution(measured);
    }
}
