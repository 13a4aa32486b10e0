using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.ColdStart;

/// <summary><c>cold-start</c>: what a process takes that opens a store of 1,000 events, appends one and reads it by its tag.</summary>
internal static class ColdStartCommand
{
    private const int Events = 1_000;

    // The targets, of the store. Its process is not compiled ahead of time.
    private const int MethodsMax = 600;
    private const double MillisecondsMax = 105;

    public static Command Create()
    {
        var command = new Command("cold-start",
            "Measures processes that open a store of 1,000 events, append one under a condition and read it by its tag, in turns with the same on SQLite and "
                + "with a process that does nothing: the methods that the runtime compiles, and the time from start to end.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "cold-start");
        var (store, sqlite) = (folder.Below("store"), folder.Below("events.db"));
        await FillAsync(store, sqlite, cancellationToken);
        (string Name, string Path)[] contenders = [(ContenderName.Opossum, store), (ContenderName.Sqlite, sqlite), (ColdStartProcess.Nothing, "")];
        var runs = contenders.Select(_ => new List<(int Methods, double Time)>()).ToArray();
        for (var round = 0; round < (arguments.GetValue(CommonOptions.IsShort) ? 2 : 26); round++)
        {
            for (var turn = 0; turn < contenders.Length; turn++)
            {
                var at = (round + turn) % contenders.Length;
                folder.Settle();
                var run = await MeasureAsync(contenders[at].Name, contenders[at].Path, cancellationToken);
                // The first time the programs are read from the disk.
                if (round > 0)
                    runs[at].Add(run);
            }
        }
        Report(folder, contenders, runs, arguments.GetValue(CommonOptions.Output));
        return 0;
    }

    private static async Task FillAsync(string store, string sqlite, CancellationToken cancellationToken)
    {
        var events = new EventFeed(Events).Take(Events);
        await using (var opened = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = store }, cancellationToken))
            await opened.AppendAsync(events, cancellationToken: cancellationToken);
        using var connection = new SqliteConnection(sqlite, flush: true);
        connection.TryAppend(events);
    }

    private static async Task<(int Methods, double Time)> MeasureAsync(string contender, string path, CancellationToken cancellationToken)
    {
        var command = ColdStartProcess.Command(contender, path);
        var started = Stopwatch.GetTimestamp();
        using var process = Process.Start(new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true })!;
        var methods = await process.StandardOutput.ReadToEndAsync(cancellationToken);
        await process.WaitForExitAsync(cancellationToken);
        var time = Stopwatch.GetElapsedTime(started).TotalMicroseconds;
        return process.ExitCode == 0
            ? (int.Parse(methods, CultureInfo.InvariantCulture), time)
            : throw new CannotMeasureException($"The process of {contender} ended with {process.ExitCode}.");
    }

    private static void Report(WorkFolder folder, (string Name, string Path)[] contenders, List<(int Methods, double Time)>[] runs,
        DirectoryInfo? output)
    {
        var report = new FigureReport("cold-start", string.Create(CultureInfo.InvariantCulture,
            $"A fresh process opens a store of {Events:N0} events on {Machine.DescribeDisk(folder)}, appends one under a condition and reads it by its tag: ")
                + string.Create(CultureInfo.InvariantCulture, $"{runs[0].Count} processes of each, in turns; medians and quartiles. The methods are those that ")
                + "the runtime compiles (exact), the time is that from start to end. Nothing is compiled ahead of time except the runtime's own code.",
            "process", "methods compiled", "time", "target");
        foreach (var ((name, _), own) in contenders.Zip(runs))
        {
            var methods = new Distribution(own.Select(static run => (double)run.Methods));
            var time = new Distribution(own.Select(static run => run.Time));
            report.Row(name, Number.Whole(methods.Median), FigureReport.Time(time), name == ContenderName.Opossum
                ? $"{FigureReport.Target(string.Create(CultureInfo.InvariantCulture, $"at most {MethodsMax} methods"), methods.Median <= MethodsMax)}, "
                    + FigureReport.Target(string.Create(CultureInfo.InvariantCulture, $"{MillisecondsMax} ms"), time.Median <= 1_000 * MillisecondsMax)
                : "");
        }
        report.Publish(output);
    }
}
