using System.Collections.Concurrent;
using System.Diagnostics;
using Opossum.Benchmarks.Measuring;
using Opossum.Maintenance;
using Spectre.Console;

namespace Opossum.Benchmarks.Soak;

/// <summary>Uses one store in rounds. Between rounds this process is idle, so that its resources can be compared.</summary>
internal sealed class SoakRun(string path, SoakMode mode, int rounds, TimeSpan round, CancellationToken cancellationToken)
{
    private const int ConcurrentAppenders = 16, ConditionalAppenders = 4;
    private const int ContestedTags = 2;

    private readonly List<SoakRow> rows = [];
    private ConcurrentBag<double> times = [];
    private long number;
    private long appended;
    private int refused;
    private int reopened;

    public async Task<SoakResult> RunAsync()
    {
        long byPeer;
        await using (var store = await OpenAsync())
        {
            using var peer = SoakPeer.Start(path, mode);
            using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            var follower = new SoakFollower(store);
            var following = follower.RunAsync(ending.Token);
            while (rows.Count < rounds)
                await RoundAsync(store, follower);
            byPeer = await peer.EndAsync();
            await ending.CancelAsync();
            await following;
        }
        var before = GC.GetTotalMemory(forceFullCollection: true);
        await using var last = await OpenAsync();
        var index = GC.GetTotalMemory(forceFullCollection: true) - before;
        // Events that the other process appended after the last row count too.
        rows[^1] = rows[^1] with { Head = await last.GetHeadAsync(cancellationToken) };
        var status = await last.GetStatusAsync(cancellationToken: cancellationToken);
        return new SoakResult(rows, appended
            + byPeer, refused, reopened, index, status, await StoreCheck.RunAsync(path, cancellationToken: cancellationToken));
    }

    private async Task RoundAsync(FileSystemEventStore store, SoakFollower follower)
    {
        var headBefore = rows.Count == 0 ? 0 : rows[^1].Head;
        var clock = Stopwatch.StartNew();
        await Task.WhenAll(
        [
            Repeat(10, () => AppendAsync(store, 1)),
            .. Enumerable.Range(0, ConcurrentAppenders).Select(_ => Repeat(50, () => AppendAsync(store, 1))),
            Repeat(200, () => AppendAsync(store, 50)),
            .. Enumerable.Range(0,
            ConditionalAppenders).Select(_ =>
                Repeat(40, () => AppendConditionallyAsync(store, new Tag("contested", $"{Random.Shared.Next(ContestedTags)}")))),
            Repeat(20, () => ReadAsync(store, Query.FromTags(Workload.GroupTag((int)(number % 100))), new ReadOptions { Limit = 1_000 })),
            Repeat(20, () => ReadAsync(store, Query.All, new ReadOptions { Backwards = true, Limit = 20 })),
            Repeat(2_000, () => ReadAsync(store, Query.All)),
            Repeat(500, () => SubscribeAsync(store)),
            Repeat(500, ReopenAsync),
        ]);
        clock.Stop();
        var head = await store.GetHeadAsync(cancellationToken);
        await follower.ReachAsync(head, cancellationToken);
        var appends = new Distribution(times);
        times = [];
        rows.Add(SoakRow.Measure(clock.Elapsed, head, head - headBefore, appends));
        AnsiConsole.WriteLine($"round {rows.Count} of {rounds}: {head:N0} events");

        async Task Repeat(int milliseconds, Func<Task> work)
        {
            while (clock.Elapsed < round)
            {
                await work();
                await Task.Delay(milliseconds, cancellationToken);
            }
        }
    }

    private async Task AppendAsync(FileSystemEventStore store, int events, AppendCondition? condition = null, params Tag[] tags)
    {
        NewEvent[] news = [.. Enumerable.Range(0, events).Select(_ => Workload.Event((int)Interlocked.Increment(ref number)))];
        if (tags.Length > 0)
            news = [.. news.Select(each => NewEvent.FromJson(each.Type!, each.Json, [.. each.Tags, .. tags]))];
        var started = Stopwatch.GetTimestamp();
        await store.AppendAsync(news, condition, cancellationToken);
        times.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds);
        Interlocked.Add(ref appended, events);
    }

    // Reads the events with a tag and appends another, unless one was added meanwhile.
    private async Task AppendConditionallyAsync(FileSystemEventStore store, Tag tag)
    {
        var query = Query.FromTags(tag);
        var last = await store.ReadLastAsync(query, cancellationToken);
        try
        {
            await AppendAsync(store, 2, new AppendCondition(query, last?.Position ?? 0), tag);
        }
        catch (AppendConditionFailedException)
        {
            Interlocked.Increment(ref refused);
        }
    }

    private async Task ReadAsync(FileSystemEventStore store, Query query, ReadOptions? options = null)
    {
        await foreach (var _ in store.ReadAsync(query, options, cancellationToken))
        {
        }
    }

    private async Task SubscribeAsync(FileSystemEventStore store)
    {
        var left = 50;
        await foreach (var _ in store.SubscribeAsync(Query.All, await store.GetHeadAsync(cancellationToken), cancellationToken))
        {
            if (--left == 0)
                return;
        }
    }

    private async Task ReopenAsync()
    {
        await using var store = await OpenAsync();
        await AppendAsync(store, 1);
        await ReadAsync(store, Query.All, new ReadOptions { Backwards = true, Limit = 10 });
        reopened++;
    }

    private Task<FileSystemEventStore> OpenAsync() => FileSystemEventStore.OpenAsync(mode.Options(path), cancellationToken);
}
