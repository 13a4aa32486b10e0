using System.CommandLine;
using System.Globalization;
using Opossum.Benchmarks.Ages;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Cold;

/// <summary><c>cold</c>: a store ten times larger than the memory for the process and for the pages of its files.</summary>
internal static class ColdCommand
{
    private const int StoreOverMemory = 10;

    // What the program takes by itself, and SQLite's cache and the store's.
    private const long MemoryMin = 160L << 20;

    // The targets.
    private const double FewMaxRatio = 1;
    private const double ScanMinRatio = 0.5;

    private static readonly Option<int?> events =
        new("--events") { Description = "The number of events. Default: 10000000; with --short 20000." };

    public static Command Create()
    {
        var command = new Command("cold",
            "Reads a store that is ten times larger than the memory for the process and for the pages of its files, which a memory cgroup bounds (Linux, root): "
                + "ten events by tag beside SQLite, and a full scan beside a plain read of the lines. 10,000,000 events take about 8 GB meanwhile.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output, events,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "cold");
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        var feed = new AgesFeed(arguments.GetValue(events) ?? (isShort ? 20_000 : 10_000_000));
        var (store, sqlite) = (folder.Below("store"), folder.Below("sqlite"));
        using (var probe = MemoryBound.TryMake(MemoryMin, out var reason))
        {
            if (probe is null)
            {
                Console.WriteLine($"Not measured: {reason}");
                return 0;
            }
        }
        AgesStore.Make(store, feed, AgesLedger.Ends, cancellationToken);
        await MakeRunsAsync(store, cancellationToken);
        new SqliteContenderFilled(sqlite, feed, cancellationToken).Dispose();
        folder.Settle();
        var storeBytes = BytesBelow(store);
        var memory = Math.Max(MemoryMin, storeBytes / StoreOverMemory);
        foreach (var file in Directory.EnumerateFiles(folder.Path, "*", SearchOption.AllDirectories))
            await EvictAsync(file, cancellationToken);
        using var bound = MemoryBound.TryMake(memory, out _) ?? throw new CannotMeasureException("A memory cgroup could be made once, and not again.");
        var result = ColdResult.Parse(await bound.RunAsync(ColdReader.Command(store, sqlite, feed.Events, isShort), cancellationToken));
        Report(folder, feed.Events, storeBytes, memory, result, arguments.GetValue(CommonOptions.Output));
        return 0;
    }

    private static async Task MakeRunsAsync(string path, CancellationToken cancellationToken)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, cancellationToken);
        // A second time deletes the runs that longer ones have replaced.
        store.MakeRuns();
        store.MakeRuns();
    }

    // Pages that another process has read would be found without counting for the bound.
    private static Task EvictAsync(string file, CancellationToken cancellationToken) =>
        Tool.RunAsync("dd", [$"if={file}", "iflag=nocache", "count=0", "status=none"], cancellationToken);

    private static long BytesBelow(string path) =>
        new DirectoryInfo(path).EnumerateFiles("*", SearchOption.AllDirectories).Sum(static file => file.Length);

    private static void Report(WorkFolder folder, int events, long storeBytes, long memory, ColdResult result, DirectoryInfo? output)
    {
        var report = new FigureReport("cold", string.Create(CultureInfo.InvariantCulture,
            $"A store of {events:N0} events on {Machine.DescribeDisk(folder)}, read within a memory cgroup of {memory >> 20} MiB for the process and the pages of ")
                + string.Create(CultureInfo.InvariantCulture, $"its files. The store has {storeBytes >> 20} MiB, {(double)storeBytes / memory:F1} times that: ")
                + "medians and quartiles, and means. SQLite and the store take turns, each with another tag, and are measured after half a minute of that. A scan returns all events with their bytes; it and a "
                + "plain read of the segments, 1 MiB at a time, take turns.",
            "measure", "the store", "beside it", "ratio of medians, of means", "target");
        var few = result.Few;
        report.Row("10 events by tag", Of(few.Store), $"SQLite {Of(few.Other)}", Ratios(few),
            FigureReport.Target(Invariant($"at most {FewMaxRatio} times, median and mean"), few.MedianRatio <= FewMaxRatio && few.MeanRatio <= FewMaxRatio));
        var scan = result.Scan;
        report.Row("full scan", Rate(scan.Store), $"plain read {Rate(scan.Other)}", Invariant($"{1 / scan.MedianRatio:F2}, {1 / scan.MeanRatio:F2}"),
            FigureReport.Target(Invariant($"at least {ScanMinRatio} times the rate"), 1 / scan.MedianRatio >= ScanMinRatio));
        report.Publish(output);

        string Of(Distribution time) => $"{FigureReport.Time(time)}, mean {Number.Time(time.Mean)}";
        string Ratios(AgesPair pair) => Invariant($"{pair.MedianRatio:F2}, {pair.MeanRatio:F2}");
        string Rate(Distribution time) => Invariant($"{result.ScannedBytes / time.Median:N0} MB/s, {1e6 * events / time.Median:N0} events/s");
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
