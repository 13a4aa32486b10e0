using System.Diagnostics;
using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Reactions;

/// <summary>Measures reactions: how many events are handled, how soon, the cost of an idle store, and the take-over by another process.</summary>
internal sealed class ReactionFigures(WorkFolder folder, bool isShort)
{
    private const int WarmUp = 20;

    /// <summary>Handled events a second, of a handler that does nothing.</summary>
    public async Task<Distribution> RateAsync(int keys)
    {
        var events = isShort ? 10_000 : 200_000;
        await using var store = await PaidEvents.FillAsync(folder.Below("rate"), events, keys);
        var rates = new List<double>();
        for (var round = 0; round < (isShort ? 1 : 5); round++)
        {
            var reaction = new TimedReaction($"rate-{round}", ReactionStart.Beginning, events);
            var clock = Stopwatch.StartNew();
            await using (store.StartReactions([reaction]))
            {
                await reaction.Done;
                rates.Add(events / clock.Elapsed.TotalSeconds);
            }
        }
        return new Distribution(rates);
    }

    /// <summary>
    /// The time from an append's return until the handler begins, in microseconds; the next append follows then. Beside it, taken in turn, the
    /// time in which one page that is there is written and flushed: before a handler begins, the reaction flushes a page of its checkpoint.
    /// </summary>
    public async Task<(Distribution Handler, Distribution Flush)> LatencyAsync(CancellationToken cancellationToken)
    {
        using var page = File.OpenHandle(folder.Below("page"), FileMode.CreateNew, FileAccess.Write);
        FlushPage(page);
        var appends = isShort ? 50 : 1_000;
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder.Below("latency") }, cancellationToken);
        var begun = new SemaphoreSlim(0);
        var beganAt = 0L;
        var reaction = new TimedReaction("latency", ReactionStart.Beginning, appends, (_, at) =>
        {
            beganAt = at;
            begun.Release();
        });
        var times = new List<double>();
        var flushes = new List<double>();
        await using (store.StartReactions([reaction]))
        {
            for (var number = 0; number < WarmUp + appends; number++)
            {
                await store.AppendAsync([PaidEvents.Event(number)], cancellationToken: cancellationToken);
                var returned = Stopwatch.GetTimestamp();
                await begun.WaitAsync(cancellationToken);
                times.Add(Math.Max(0, beganAt - returned) * 1e6 / Stopwatch.Frequency);
                flushes.Add(FlushPage(page));
            }
        }
        return (new Distribution(times.Skip(WarmUp)), new Distribution(flushes.Skip(WarmUp)));
    }

    // In microseconds.
    private static double FlushPage(SafeFileHandle page)
    {
        var clock = Stopwatch.StartNew();
        RandomAccess.Write(page, new byte[4_096], 0);
        RandomAccess.FlushToDisk(page);
        return clock.Elapsed.TotalMicroseconds;
    }

    /// <summary>What an idle store costs with a number of reactions: milliseconds of processor time, and reads and writes, a minute.</summary>
    public async Task<(double ProcessorMilliseconds, double? Calls)> IdleAsync(int reactions, CancellationToken cancellationToken)
    {
        var time = TimeSpan.FromSeconds(isShort ? 1 : 20);
        await using var store = await PaidEvents.FillAsync(folder.Below($"idle-{reactions}"), 100, 10);
        var all = Enumerable.Range(0, reactions)
            .Select(number => new TimedReaction(string.Create(CultureInfo.InvariantCulture, $"idle-{number}"), ReactionStart.Beginning, 100))
            .ToList();
        var runner = all.Count == 0 ? null : store.StartReactions(all);
        await Task.WhenAll(all.Select(static each => each.Done));
        // What is done is recorded within the write interval.
        await Task.Delay(TimeSpan.FromSeconds(1), cancellationToken);
        var (processor, calls) = (Environment.CpuUsage.TotalTime, CallsOnFiles());
        await Task.Delay(time, cancellationToken);
        var perMinute = TimeSpan.FromMinutes(1) / time;
        var used = (Environment.CpuUsage.TotalTime - processor).TotalMilliseconds * perMinute;
        var called = (CallsOnFiles() - calls) * perMinute;
        if (runner is not null)
            await runner.DisposeAsync();
        return (used, called);
    }

    /// <summary>The time from a SIGKILL of the process that leads until the handler begins in this one, in microseconds.</summary>
    public async Task<Distribution> TakeOverAsync(CancellationToken cancellationToken)
    {
        var path = folder.Below("take-over");
        await using var store = await PaidEvents.FillAsync(path, 1, 1);
        var times = new List<double>();
        for (var round = 0; round < (isShort ? 1 : 10); round++)
        {
            using var peer = await ReactionPeer.StartAsync(path, cancellationToken);
            var reaction = new TimedReaction(ReactionPeer.ReactionName, ReactionStart.Beginning, 1);
            await using (store.StartReactions([reaction]))
            {
                await store.AppendAsync([PaidEvents.Event(round)], cancellationToken: cancellationToken);
                await peer.HandledAsync(cancellationToken);
                var clock = Stopwatch.StartNew();
                peer.Kill();
                await store.AppendAsync([PaidEvents.Event(round)], cancellationToken: cancellationToken);
                await reaction.Done.WaitAsync(cancellationToken);
                times.Add(clock.Elapsed.TotalMicroseconds);
            }
        }
        return new Distribution(times);
    }

    // The reads and writes of this process so far; only Linux counts them.
    private static double? CallsOnFiles()
    {
        const string file = "/proc/self/io";
        if (!File.Exists(file))
            return null;
        return File.ReadLines(file).Where(static line => line.StartsWith("sysc", StringComparison.Ordinal))
            .Sum(static line => double.Parse(line.Split(' ')[1], CultureInfo.InvariantCulture));
    }
}
