using System.Diagnostics;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Telemetry;

/// <summary>Measures grouped appends to one store while OpenTelemetry collects everything, and while nobody listens, in turns.</summary>
internal sealed class TelemetryCost(WorkFolder folder)
{
    private const int EventsOfEach = 50;

    public async Task<(CostOfEvent Without, CostOfEvent With, Distribution Extra)> MeasureAsync(int rounds, CancellationToken cancellationToken)
    {
        var feed = new EventFeed((rounds + 1) * 2 * Entrant.Writers * EventsOfEach);
        await using var store = await Entrant.OpenAsync(ContenderName.Opossum, folder.Path, feed);
        var without = new List<(double, double, double)>();
        var with = new List<(double, double, double)>();
        for (var round = 0; round <= rounds; round++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            // In turns, so that noise of the machine and the growth of the store affect both alike. The first round warms up.
            foreach (var isCollected in round % 2 == 0 ? [false, true] : new[] { true, false })
            {
                var cost = await RoundAsync(store, isCollected);
                if (round > 0)
                    (isCollected ? with : without).Add(cost);
            }
        }
        // Neighbours are compared, because the machine's speed drifts.
        var extra = with.Zip(without, static (with, without) => (with.Item1 - without.Item1) / without.Item1);
        return (CostOfEvent.Of(without), CostOfEvent.Of(with), new Distribution(extra));
    }

    private async Task<(double Time, double ProcessorTime, double Allocated)> RoundAsync(Entrant store, bool isCollected)
    {
        var slice = store.Concurrently(Entrant.Writers, EventsOfEach);
        var append = await slice.PrepareAsync();
        using var metrics = isCollected ? CollectMetrics() : null;
        using var traces = isCollected ? CollectTraces() : null;
        folder.Settle();
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var processor = Environment.CpuUsage.TotalTime;
        var started = Stopwatch.GetTimestamp();
        await append();
        var time = Stopwatch.GetElapsedTime(started);
        return (time.TotalMicroseconds / slice.Operations, (Environment.CpuUsage.TotalTime - processor).TotalMicroseconds / slice.Operations,
            (GC.GetTotalAllocatedBytes(precise: true) - allocated) / (double)slice.Operations);
    }

    private static MeterProvider CollectMetrics() =>
        Sdk.CreateMeterProviderBuilder().AddMeter("Opossum").AddReader(new PeriodicExportingMetricReader(new NoExporter<Metric>(), 1_000)).Build();

    private static TracerProvider CollectTraces() =>
        Sdk.CreateTracerProviderBuilder().AddSource("Opossum").AddProcessor(new BatchActivityExportProcessor(new NoExporter<Activity>())).Build();

    // The cost of sending belongs to the exporter that the user chooses.
    private sealed class NoExporter<T> : BaseExporter<T>
        where T : class
    {
        public override ExportResult Export(in Batch<T> batch) => ExportResult.Success;
    }
}
