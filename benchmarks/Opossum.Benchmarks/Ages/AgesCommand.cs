using System.CommandLine;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Ages;

/// <summary><c>ages</c>: stores of 100,000 to 10,000,000 events: opening, memory, conditions, reads.</summary>
internal static class AgesCommand
{
    // The targets.
    private const double MemoryMaxMebibytes = 40;
    private const double ConditionMaxMicroseconds = 20;
    private const double ManyMaxShareOfSqlite = 0.5;
    private const double ScanMinPerSecond = 4_000_000;
    private const double AppendMaxRatio = 1.03;
    private const double RebuildMinPerSecond = 80_000;

    private static readonly Option<int?> eventsMax =
        new("--events") { Description = "The size of the largest store. Default: 10000000; with --short 20000." };

    public static Command Create()
    {
        var command =
            new Command("ages",
                "Measures appends while runs of the index are made, building an index again, and stores of 100,000, 1,000,000 and 10,000,000 events: "
                    + "opening, memory, conditions, reads by tag beside SQLite, full scans, and making the runs of their index. 10,000,000 events take about 15 GB meanwhile and a quarter of an hour.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output, eventsMax,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "ages");
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var largest = arguments.GetValue(eventsMax) ?? (isShort ? 20_000 : 10_000_000);
        List<int> sizes = [.. new[] { 100_000, 1_000_000, 10_000_000 }.Where(size => size < largest), largest];
        var report = new FigureReport("ages",
            $"Large stores on {Machine.DescribeDisk(folder)}: medians and quartiles; against SQLite also means. Times are those of the library in a process that "
                + "has done the same before, with the files in the system's cache. Of the event files only the first and the last are there, because no read "
                + "opens them. A thousand events by tag are spread evenly over the store. Appends while runs are made are of two stores in turns, one of which "
                + "makes none; the times are of whole turns, in which one or two runs are due. An index is built again from event files, in turns with "
                + "opening, reading and closing the same files.",
            "events", "measure", "measured", "target");
        ReportAppends(report, await new AgesAppends(folder, isShort, cancellationToken).RunAsync());
        ReportRebuild(report, await new AgesRebuild(folder, isShort, cancellationToken).RunAsync());
        foreach (var size in sizes)
            Report(report, await new AgesRun(folder, size, isShort, cancellationToken).RunAsync());
        report.Publish(arguments.GetValue(CommonOptions.Output));
        return 0;
    }

    private static void ReportAppends(FigureReport report, (AgesPair Concurrent, AgesPair Alone) appends)
    {
        Append("64 at once", appends.Concurrent);
        Append("alone", appends.Alone);

        void Append(string how, AgesPair times) => report.Row("", $"an append while runs are made, {how}",
            Invariant($"{FigureReport.Time(times.Store)}, mean {Number.Time(times.Store.Mean)}; without runs {FigureReport.Time(times.Other)}, ")
                + Invariant($"mean {Number.Time(times.Other.Mean)}; {times.MedianRatio:F3} and {times.MeanRatio:F3} times"),
            FigureReport.Target(Invariant($"at most {AppendMaxRatio} times, median and mean"),
                times.MedianRatio <= AppendMaxRatio && times.MeanRatio <= AppendMaxRatio));
    }

    private static void ReportRebuild(FigureReport report, (int Events, AgesPair Times) rebuild)
    {
        var (store, files) = (rebuild.Times.Store, rebuild.Times.Other);
        report.Row(Number.Whole(rebuild.Events), "building the index again from event files",
            Invariant($"{Number.Rate(store.Median)} events/s, mean {Number.Rate(store.Mean)}; reading the same files {Number.Rate(files.Median)} files/s, ")
                + Invariant($"mean {Number.Rate(files.Mean)}; {rebuild.Times.MedianRatio:F2} and {rebuild.Times.MeanRatio:F2} times"),
            FigureReport.Target(Invariant($"at least {RebuildMinPerSecond:N0} events/s"), 1_000_000 / store.Median >= RebuildMinPerSecond));
    }

    private static void Report(FigureReport report, AgesResult result)
    {
        var openingMax = result.Events switch { <= 100_000 => 5, <= 1_000_000 => 10, _ => 20 };
        void Row(string measure, string measured, string target = "") => report.Row(Number.Whole(result.Events), measure, measured, target);
        Row("opening", FigureReport.Time(result.Opening),
            FigureReport.Target($"at most {openingMax} ms", result.Opening.Median <= openingMax * 1_000));
        Row("opening without runs, which replays the whole index", Number.Time(result.Replay.TotalMicroseconds));
        Row("making all runs, one thread", Invariant($"{Number.Time(result.Runs.Time.TotalMicroseconds)}, {(double)result.Runs.Bytes / result.Events:F1} bytes an event"));
        Row("memory of the open store, then after all reads", $"{Mebibytes(result.MemoryAtOnce)}, {Mebibytes(result.Memory)} MiB",
            FigureReport.Target($"at most {MemoryMaxMebibytes} MiB", result.Memory <= MemoryMaxMebibytes * (1 << 20)));
        Condition("a condition on a tag never used", result.Never);
        Condition("a condition on a tag used once", result.Once);
        Condition("a condition on a tag used everywhere", result.Everywhere);
        Row("10 events by tag", Against(result.Few));
        Row("1,000 events by tag", Against(result.Many),
            FigureReport.Target(Invariant($"at most {ManyMaxShareOfSqlite} times SQLite, median and mean"),
                result.Many.Store.Median <= ManyMaxShareOfSqlite * result.Many.Sqlite.Median
                    && result.Many.Store.Mean <= ManyMaxShareOfSqlite * result.Many.Sqlite.Mean));
        Row("full scan", $"{Number.Rate(result.Scan.Median)} events/s",
            FigureReport.Target(Invariant($"at least {ScanMinPerSecond:N0}"), 1_000_000 / result.Scan.Median >= ScanMinPerSecond));

        void Condition(string measure, Distribution time) => Row(measure, FigureReport.Time(time),
            FigureReport.Target(Invariant($"at most {ConditionMaxMicroseconds} µs"), time.Median <= ConditionMaxMicroseconds));
    }

    private static string Against((Distribution Store, Distribution Sqlite) both) => Invariant(
        $"{FigureReport.Time(both.Store)}, mean {Number.Time(both.Store.Mean)}; SQLite {FigureReport.Time(both.Sqlite)}, mean {Number.Time(both.Sqlite.Mean)}; ")
        + Invariant($"{both.Store.Median / both.Sqlite.Median:F2} and {both.Store.Mean / both.Sqlite.Mean:F2} times");

    private static string Mebibytes(long bytes) => Number.Plain(bytes / (double)(1 << 20));

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
