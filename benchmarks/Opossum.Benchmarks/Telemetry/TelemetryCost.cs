using System.Diagnostics;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Testing;

namespace Opossum.Benchmarks.Telemetry;

/// <summary>Measures grouped appends to one store while OpenTelemetry collects everything, and while nobody listens, in turns.</summary>
internal sealed class TelemetryCost(WorkFolder folder)
{
    private const int EventsOfEach = 50;
    private const int EventsOfEachInMemory = 400;

    public async Task<(CostOfEvent Without, CostOfEvent With, Distribution Extra)> MeasureAsync(int rounds, CancellationToken cancellationToken)
    {
        var feed = new EventFeed((rounds + 1) * 2 * Entrant.Writers * EventsOfEach);
        await using var store = await Entrant.OpenAsync(ContenderName.Opossum, folder.Path, feed);
        var (without, with) = await InTurnsAsync(rounds, async isCollected =>
        {
            var slice = store.Concurrently(Entrant.Writers, EventsOfEach);
            var append = await slice.PrepareAsync();
            folder.Settle();
            return await RoundAsync(append, slice.Operations, isCollected);
        }, cancellationToken);
        // Neighbours are compared, because the machine's speed drifts.
        var extra = with.Zip(without, static (with, without) => (with.Time - without.Time) / without.Time);
        return (CostOfEvent.Of(without), CostOfEvent.Of(with), new Distribution(extra));
    }

    /// <summary>
    /// The processor time that telemetry adds to an event of a grouped append, in microseconds, on a store in memory: no disk disturbs it.
    /// </summary>
    public static async Task<Distribution> MeasureInMemoryAsync(int rounds, CancellationToken cancellationToken)
    {
        const int events = Entrant.Writers * EventsOfEachInMemory;
        var (without, with) = await InTurnsAsync(rounds, async isCollected =>
        {
            await using var store = InMemoryEventStore.Open();
            return await RoundAsync(() => AppendAsync(store), events, isCollected);
        }, cancellationToken);
        return new Distribution(with.Zip(without, static (with, without) => with.ProcessorTime - without.ProcessorTime));

        static Task AppendAsync(IEventStore store) => Task.WhenAll(Enumerable.Range(0, Entrant.Writers).Select(writer => Task.Run(async () =>
        {
            for (var at = 0; at < EventsOfEachInMemory; at++)
                await store.AppendAsync(NewEvent.FromJson("measured", """{ "amount": 1 }""", new Tag("writer", $"{writer}")));
        })));
    }

    private static async Task<(List<Cost> Without, List<Cost> With)> InTurnsAsync(int rounds, Func<bool, Task<Cost>> measure,
        CancellationToken cancellationToken)
    {
        List<Cost> without = [], with = [];
        for (var round = 0; round <= rounds; round++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            // In turns, so that noise of the machine and the growth of the store affect both alike. The first round warms up.
            foreach (var isCollected in round % 2 == 0 ? [false, true] : new[] { true, false })
            {
                var cost = await measure(isCollected);
                if (round > 0)
                    (isCollected ? with : without).Add(cost);
            }
        }
        return (without, with);
    }

    private static async Task<Cost> RoundAsync(Func<Task> append, int events, bool isCollected)
    {
        using var metrics = isCollected ? CollectMetrics() : null;
        using var traces = isCollected ? CollectTraces() : null;
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var processor = Environment.CpuUsage.TotalTime;
        var started = Stopwatch.GetTimestamp();
        await append();
        var time = Stopwatch.GetElapsedTime(started);
        return new Cost(time.TotalMicroseconds / events, (Environment.CpuUsage.TotalTime - processor).TotalMicroseconds / events,
            (GC.GetTotalAllocatedBytes(precise: true) - allocated) / (double)events);
    }

    private static MeterProvider CollectMetrics() =>
        Sdk.CreateMeterProviderBuilder().AddMeter("Opossum").AddReader(new PeriodicExportingMetricReader(new NoExporter<Metric>(), 1_000)).Build();

    private static TracerProvider CollectTraces() =>
        Sdk.CreateTracerProviderBuilder().AddSource("Opossum").AddProcessor(new BatchActivityExportProcessor(new NoExporter<Activity>())).Build();

    /// <summary>What an event cost in a round: microseconds, microseconds of all threads, bytes of all threads.</summary>
    internal readonly record struct Cost(double Time, double ProcessorTime, double Allocated);

    // The cost of sending belongs to the exporter that the user chooses.
    private sealed class NoExporter<T> : BaseExporter<T>
        where T : class
    {
        public override ExportResult Export(in Batch<T> batch) => ExportResult.Success;
    }
}
