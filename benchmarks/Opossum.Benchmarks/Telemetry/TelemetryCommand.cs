using System.CommandLine;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Telemetry;

/// <summary><c>telemetry</c>: what a grouped append costs when metrics and traces are collected.</summary>
internal static class TelemetryCommand
{
    /// <summary>The promise, of the time of a grouped append without telemetry.</summary>
    private const double CostMax = 0.02;

    public static Command Create()
    {
        var command =
            new Command("telemetry",
                "Measures what grouped appends cost while OpenTelemetry collects all metrics and traces of the store, and while nobody listens, in "
                    + "turns: time, processor time and allocations.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "telemetry");
        var rounds = arguments.GetValue(CommonOptions.IsShort) ? 2 : 40;
        var (without, with, extra) = await new TelemetryCost(folder).MeasureAsync(rounds, cancellationToken);
        var report = new FigureReport("telemetry",
            $"What telemetry costs an event of a grouped append on {Machine.DescribeDisk(folder)}: medians and quartiles of {rounds} rounds; both stores append in turns.",
            "", "nobody listens", "OpenTelemetry collects", "target");
        report.Row("time", FigureReport.Time(without.Time), FigureReport.Time(with.Time), "");
        report.Row("processor time", FigureReport.Time(without.ProcessorTime), FigureReport.Time(with.ProcessorTime), "");
        report.Row("allocated", Bytes(without.Allocated), Bytes(with.Allocated), "");
        report.Row("more time in a round", "", FigureReport.Percent(extra), "");
        var inMemory = await TelemetryCost.MeasureInMemoryAsync(rounds, cancellationToken);
        report.Row("more processor time, on a store in memory", "", FigureReport.Time(inMemory), "");
        var share = inMemory.Each(microseconds => microseconds / without.Time.Median);
        report.Row("that, as a share of the time on this disk", "", FigureReport.Percent(share),
            FigureReport.Target(string.Create(CultureInfo.InvariantCulture, $"at most {CostMax:P0}"), share.Median <= CostMax));
        report.Publish(arguments.GetValue(CommonOptions.Output));
        return 0;
    }

    private static string Bytes(Distribution bytes) => $"{Number.Whole(bytes.Median)} bytes";
}
