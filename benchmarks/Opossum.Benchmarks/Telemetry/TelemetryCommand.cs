using System.CommandLine;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Spectre.Console;

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
                    + "turns: time, processor time and allocations.") { CommonOptions.Folder, CommonOptions.IsShort };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "telemetry");
        var rounds = arguments.GetValue(CommonOptions.IsShort) ? 2 : 40;
        var (without, with, extra) = await new TelemetryCost(folder).MeasureAsync(rounds, cancellationToken);
        var table = new Table().AddColumns("an event of a grouped append", "time", "processor time", "allocated");
        table.AddRow("nobody listens", Time(without.Time), Time(without.ProcessorTime), Bytes(without.Allocated));
        table.AddRow("OpenTelemetry collects", Time(with.Time), Time(with.ProcessorTime), Bytes(with.Allocated));
        AnsiConsole.Write(table);
        AnsiConsole.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"Telemetry takes {extra.Median:P1} more time (quartiles {extra.LowerQuartile:P1} to {extra.UpperQuartile:P1}; target: at most {CostMax:P0})."));
        return 0;
    }

    private static string Time(Distribution microseconds) => string.Create(CultureInfo.InvariantCulture,
        $"{microseconds.Median:F2} µs ({microseconds.LowerQuartile:F2} to {microseconds.UpperQuartile:F2})");

    private static string Bytes(Distribution bytes) => string.Create(CultureInfo.InvariantCulture, $"{bytes.Median:F0} bytes");
}
