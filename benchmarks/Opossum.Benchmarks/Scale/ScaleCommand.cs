using System.CommandLine;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;
using Spectre.Console;

namespace Opossum.Benchmarks.Scale;

/// <summary><c>scale</c>: one store with many events.</summary>
internal static class ScaleCommand
{
    private const int EventsDefault = 10_000_000, EventsDefaultShort = 10_000, EventsMin = 10_000;

    private static readonly Option<int?> events =
        new("--events") { Description = $"How many events, {EventsMin} at least. Default: {EventsDefault}; with --short {EventsDefaultShort}." };

    public static Command Create()
    {
        events.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int?>() < EventsMin)
                result.AddError($"--events needs {EventsMin} at least.");
        });
        var command =
            new Command("scale",
                "Fills one store with durable appends of concurrent writers, by a journal, while its older folders are sealed, and measures as it grows "
                    + "and at the end: time, disk, memory, opening, reads. Removes it; 10,000,000 events take about 6 GB meanwhile.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output, events,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "scale");
        var disk = Machine.DescribeDisk(folder);
        AnsiConsole.WriteLine(disk);
        var run =
            new ScaleRun(folder.Below("store"), arguments.GetValue(events)
                ?? (arguments.GetValue(CommonOptions.IsShort) ? EventsDefaultShort : EventsDefault), cancellationToken);
        var report = new ScaleReport(disk, await run.RunAsync(), run.Sizes);
        report.Print();
        if (arguments.GetValue(CommonOptions.Output) is { } output)
            report.Write(new ResultsFile(output.FullName));
        return 0;
    }
}
