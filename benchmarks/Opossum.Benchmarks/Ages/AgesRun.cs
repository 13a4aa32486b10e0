using System.Diagnostics;
using Opossum.Benchmarks.Measuring;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;

namespace Opossum.Benchmarks.Ages;

/// <summary>Measures a store of many events, and SQLite with the same ones.</summary>
internal sealed class AgesRun(WorkFolder folder, int events, bool isShort, CancellationToken cancellationToken)
{
    private const int ConditionsAtOnce = 100;

    private readonly AgesFeed feed = new(events);
    private readonly string path = folder.Below($"store-{events}");
    private readonly Random random = new(1);

    private int Rounds => isShort ? 3 : 50;

    public async Task<AgesResult> RunAsync()
    {
        var started = Stopwatch.GetTimestamp();
        AgesStore.Make(path, feed, AgesLedger.Ends, cancellationToken);
        var made = Stopwatch.GetElapsedTime(started);
        var replay = await TimeOpeningAsync();
        var runs = await MakeRunsAsync();
        using var sqlite = new SqliteContenderFilled(folder.Below($"sqlite-{events}"), feed, cancellationToken);
        var opening = new List<double>();
        for (var round = 0; round <= Rounds; round++)
        {
            var taken = await TimeOpeningAsync();
            if (round > 0)
                opening.Add(taken.TotalMicroseconds);
        }

        // The second one that was filled would otherwise have more of its files in the system's cache.
        ReadFiles(path);
        ReadFiles(folder.Below($"sqlite-{events}"));
        var before = HeapMemory.Measure();
        await using var store = await OpenAsync();
        var memoryAtOnce = HeapMemory.Measure() - before;
        var never = MeasureConditions(store, number => new Tag("order", $"never-{number}"));
        var once = MeasureConditions(store, feed.Once);
        var everywhere = MeasureConditions(store, _ => AgesFeed.Plant);
        var few = await MeasureReadsAsync(store, sqlite, () => feed.Order(random.Next()), AgesFeed.EventsPerOrder);
        var many = await MeasureReadsAsync(store, sqlite, () => feed.Machine(random.Next()), AgesFeed.EventsPerMachine);
        var scan = await MeasureScanAsync(store);
        var memory = HeapMemory.Measure() - before;
        return new AgesResult(events, made, replay, runs, new Distribution(opening), memoryAtOnce, memory, never, once, everywhere, few, many, scan);
    }

    private void ReadFiles(string root)
    {
        var buffer = new byte[1 << 20];
        foreach (var file in Directory.EnumerateFiles(root, "*", SearchOption.AllDirectories))
        {
            using var handle = File.OpenHandle(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            for (var at = 0L; RandomAccess.Read(handle, buffer, at) is var read and > 0; at += read)
                cancellationToken.ThrowIfCancellationRequested();
        }
    }

    private Task<FileSystemEventStore> OpenAsync() =>
        FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, cancellationToken);

    private async Task<TimeSpan> TimeOpeningAsync()
    {
        cancellationToken.ThrowIfCancellationRequested();
        var started = Stopwatch.GetTimestamp();
        await using var store = await OpenAsync();
        return Stopwatch.GetElapsedTime(started);
    }

    // All runs, from the first one on, by one thread.
    private async Task<(TimeSpan Time, long Bytes)> MakeRunsAsync()
    {
        using var fileSystem = RealFileSystem.Create();
        var layout = new StoreLayout(path);
        foreach (var name in fileSystem.List(layout.Index).Where(static name => name.EndsWith(StoreLayout.RunFileEnding, StringComparison.Ordinal)))
            fileSystem.Delete(FilePath.Join(layout.Index, name));
        var store = await OpenAsync();
        var started = Stopwatch.GetTimestamp();
        store.MakeRuns();
        var time = Stopwatch.GetElapsedTime(started);
        // Deletes the runs that longer ones have replaced.
        store.MakeRuns();
        await store.DisposeAsync();
        return (time, Directory.EnumerateFiles(layout.Index, "*" + StoreLayout.RunFileEnding).Sum(static file => new FileInfo(file).Length));
    }

    // The judgement alone: an append adds its flush, which is the same whatever the condition.
    private Distribution MeasureConditions(FileSystemEventStore store, Func<int, Tag> tagOf)
    {
        var measured = new List<double>();
        for (var round = 0; round <= Rounds; round++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var queries = Enumerable.Range(0, ConditionsAtOnce).Select(_ => Query.FromTags(tagOf(random.Next(int.MaxValue / 2)))).ToArray();
            var after = Enumerable.Range(0, ConditionsAtOnce).Select(_ => random.Next(events / 2)).ToArray();
            IndexContents contents = store.KnownContents;
            var started = Stopwatch.GetTimestamp();
            for (var at = 0; at < queries.Length; at++)
                contents.FirstMatch(queries[at], after[at]);
            if (round > 0)
                measured.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds / queries.Length);
        }
        return new Distribution(measured);
    }

    private async Task<(Distribution Store, Distribution Sqlite)> MeasureReadsAsync(FileSystemEventStore store, SqliteContenderFilled sqlite,
        Func<Tag> tagOf, int expected)
    {
        var (times, sqliteTimes) = (new List<double>(), new List<double>());
        var begun = Stopwatch.GetTimestamp();
        for (var round = 1; round <= 4 * Rounds;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var (tag, other) = (tagOf(), tagOf());
            var started = Stopwatch.GetTimestamp();
            var read = 0;
            await foreach (var e in store.ReadAsync(Query.FromTags(tag), cancellationToken: cancellationToken))
                read += e.Json.Length > 0 ? 1 : 0;
            var time = Stopwatch.GetElapsedTime(started).TotalMicroseconds;
            started = Stopwatch.GetTimestamp();
            var readBySqlite = sqlite.Read(other);
            var sqliteTime = Stopwatch.GetElapsedTime(started).TotalMicroseconds;
            if (read != expected || readBySqlite != expected)
                throw new CannotMeasureException($"A query found {read} and {readBySqlite} events instead of {expected}.");
            if (Stopwatch.GetElapsedTime(begun) < WarmUp.Of(isShort))
                continue;
            times.Add(time);
            sqliteTimes.Add(sqliteTime);
            round++;
        }
        return (new Distribution(times), new Distribution(sqliteTimes));
    }

    private async Task<Distribution> MeasureScanAsync(FileSystemEventStore store)
    {
        var measured = new List<double>();
        for (var round = 0; round <= (isShort ? 2 : 5); round++)
        {
            var started = Stopwatch.GetTimestamp();
            var read = 0;
            await foreach (var e in store.ReadAsync(Query.All, cancellationToken: cancellationToken))
                read += e.Json.Length > 0 ? 1 : 0;
            if (read != events)
                throw new CannotMeasureException($"A scan found {read} events instead of {events}.");
            if (round > 0)
                measured.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds / events);
        }
        return new Distribution(measured);
    }
}
