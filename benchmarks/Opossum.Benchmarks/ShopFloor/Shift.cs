using System.Diagnostics;
using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.ShopFloor;

/// <summary>
/// The producers: each reports an event every 20 ms, whether the last one is durable yet or not, and every second one of them, in turn, reports
/// 30 at once. The latency of an event is the time from its report until it is durable.
/// </summary>
internal sealed class Shift
{
    public const int Producers = 4;
    public const int EventsPerSecond = 50;
    public const int Burst = 30;

    private readonly EventFeed[] feeds = [.. Enumerable.Range(0, Producers).Select(_ => new EventFeed(plannedEvents: EventFeed.EventsPerMachine))];

    /// <summary>The events reported so far.</summary>
    public Digest Digest => feeds.Aggregate(default(Digest), (sum, feed) => sum.With(feed.Digest));

    /// <summary>Runs the producers for the given time and waits until all events are durable; returns the latencies in microseconds.</summary>
    public async Task<IReadOnlyList<double>> WorkAsync(IIntake intake, TimeSpan time, CancellationToken cancellationToken)
    {
        var appends = new List<Task<double>>[Producers];
        var threads = new Thread[Producers];
        for (var producer = 0; producer < Producers; producer++)
        {
            var own = producer;
            appends[own] = [];
            threads[own] = new Thread(() => Produce(own, intake, time, appends[own], cancellationToken));
            threads[own].Start();
        }
        foreach (var thread in threads)
            thread.Join();
        var latencies = await Task.WhenAll(appends.SelectMany(list => list));
        cancellationToken.ThrowIfCancellationRequested();
        return latencies;
    }

    private void Produce(int producer, IIntake intake, TimeSpan time, List<Task<double>> appends, CancellationToken cancellationToken)
    {
        var started = Stopwatch.GetTimestamp();
        // The producers do not run in step.
        var shift = producer / (double)Producers;
        for (var tick = 0; tick < time.TotalSeconds * EventsPerSecond && !cancellationToken.IsCancellationRequested; tick++)
        {
            WaitUntil(started, TimeSpan.FromSeconds((tick + shift) / EventsPerSecond));
            var isBurst = tick % EventsPerSecond == EventsPerSecond / 2 && tick / EventsPerSecond % Producers == producer;
            foreach (var newEvent in feeds[producer].Take(isBurst ? Burst : 1))
                appends.Add(AppendAsync(producer, intake, newEvent));
        }
    }

    private static async Task<double> AppendAsync(int producer, IIntake intake, NewEvent newEvent)
    {
        var reported = Stopwatch.GetTimestamp();
        await intake.AppendAsync(producer, newEvent);
        return Stopwatch.GetElapsedTime(reported).TotalMicroseconds;
    }

    private static void WaitUntil(long started, TimeSpan due)
    {
        var rest = due - Stopwatch.GetElapsedTime(started);
        if (rest > TimeSpan.Zero)
            Thread.Sleep(rest);
    }
}
