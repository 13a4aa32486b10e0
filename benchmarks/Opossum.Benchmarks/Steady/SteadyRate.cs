using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Threading.Channels;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Steady;

/// <summary>Appends at a given rate, whether or not earlier ones have returned: how long each takes from the instant at which it was due.</summary>
internal sealed class SteadyRate(WorkFolder folder, FigureReport report, bool isShort, CancellationToken cancellationToken)
{
    private const int Producers = 50;
    private static readonly TimeSpan tick = TimeSpan.FromMilliseconds(1);
    private static readonly (int Rate, double LimitMs)[] rates = [(200, 10), (1_000, 10), (3_000, 20)];

    private readonly TimeSpan unmeasured = TimeSpan.FromSeconds(isShort ? 0.2 : 2);
    private readonly TimeSpan measured = TimeSpan.FromSeconds(isShort ? 0.3 : 12);

    public async Task RunAsync()
    {
        foreach (var (rate, limitMs) in rates)
        {
            var yardstick = limitMs;
            foreach (var each in SteadyContender.All.Where(each => each.RateMax >= rate))
            {
                var times = await MeasureAsync(each, rate);
                var target = "";
                if (each.Name == ContenderName.GroupedSqlite)
                    yardstick = Math.Max(limitMs, times.Percentile(99.9));
                else if (each.Name != ContenderName.Sqlite)
                    target = FigureReport.Target(Text($"p99.9 at most {yardstick:0.#} ms"), times.Percentile(99.9) <= yardstick);
                Row(report, Text($"{rate:N0} events/s"), each.Name, times, target);
            }
        }
    }

    /// <summary>Adds a row of times in milliseconds.</summary>
    public static void Row(FigureReport report, string measure, string name, Distribution times, string target) =>
        report.Row(measure, name, Text($"{times.Median:0.00} ms"), Text($"{times.Mean:0.00} ms"), Text($"{times.Percentile(95):0.0} ms"),
            Text($"{times.Percentile(99):0.0} ms"), Text($"{times.Percentile(99.9):0.0} ms"), Text($"{times.Max:0} ms"), target);

    private async Task<Distribution> MeasureAsync(SteadyContender each, int rate)
    {
        await using var contender = each.Create(folder.Below(Text($"{rate}-{each.Name}").Replace(' ', '-').Replace(',', '-')));
        await contender.OpenAsync();
        var count = (int)((unmeasured + measured).TotalSeconds * rate);
        var events = new EventFeed(count).Take(count);
        var times = new ConcurrentBag<double>();
        var queues = Enumerable.Range(0, Producers).Select(static _ => Channel.CreateUnbounded<(NewEvent Event, long Due)>()).ToArray();
        folder.Settle();
        var started = Stopwatch.GetTimestamp();
        var producing = queues.Select(queue => Task.Run(() => ProduceAsync(queue.Reader))).ToList();
        // Not on a thread of the pool, which has two on a machine with two processors.
        await Task.Factory.StartNew(HandOut, cancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Array.ForEach(queues, static queue => queue.Writer.Complete());
        await Task.WhenAll(producing);
        return new Distribution(times);

        void HandOut()
        {
            for (var at = 0; at < count;)
            {
                cancellationToken.ThrowIfCancellationRequested();
                var due = Math.Min(count, (int)(Stopwatch.GetElapsedTime(started).TotalSeconds * rate) + 1);
                for (; at < due; at++)
                    queues[at % Producers].Writer.TryWrite((events[at], started + (long)((double)at / rate * Stopwatch.Frequency)));
                Thread.Sleep(tick);
            }
        }

        async Task ProduceAsync(ChannelReader<(NewEvent Event, long Due)> due)
        {
            await foreach (var (newEvent, instant) in due.ReadAllAsync(CancellationToken.None))
            {
                await contender.AppendOneAsync(newEvent);
                if (Stopwatch.GetElapsedTime(started, instant) >= unmeasured)
                    times.Add(Stopwatch.GetElapsedTime(instant).TotalMilliseconds);
            }
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
