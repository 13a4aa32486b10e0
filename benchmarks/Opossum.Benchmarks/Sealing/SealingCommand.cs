using System.CommandLine;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Sealing;

/// <summary><c>sealing</c>: stores whose older folders are sealed: their size, the speed of sealing, copying and reading.</summary>
internal static class SealingCommand
{
    private const double SizeMax = 1.3;
    private const double SealedPerSecondMin = 50_000;
    private const double ScanMaxRatio = 1.1;
    private const double FewMaxRatio = 1.3;
    private const double CopyMinRatio = 20;
    private const int FilesMax = 3_000;

    // Two folders: one to seal, and one that stays.
    private const int EventsMin = 20_000;

    private static readonly Option<int?> events =
        new("--events") { Description = $"The size of one store, {EventsMin} at least. Default: 1000020, then 10000020; with --short 45000." };

    public static Command Create()
    {
        events.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int?>() < EventsMin)
                result.AddError($"--events needs {EventsMin} at least.");
        });
        var command = new Command("sealing",
            "Measures stores of 1,000,000 and 10,000,000 events whose older folders are sealed: bytes and files, sealing, copying, scans and reads by tag, each "
                + "beside the same before sealing.")
        {
            CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output, CommonOptions.Loop, events,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var parent = arguments.GetRequiredValue(CommonOptions.Folder).FullName;
        using var volume = arguments.GetValue(CommonOptions.Loop) is { } kind ? await LoopVolume.MountAsync(parent, kind, cancellationToken) : null;
        using var folder = WorkFolder.CreateNew(volume?.MountPoint ?? parent, "sealing");
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        int[] sizes = arguments.GetValue(events) is { } size ? [size] : isShort ? [25_000] : [1_000_020, 10_000_020];
        var report = new FigureReport(volume is null ? "sealing" : "sealing-in-loop-file",
            $"Stores with sealed folders on {Machine.DescribeDisk(folder)}: medians and quartiles. All folders are sealed except the two newest; then the "
                + "second newest too, and bytes and files are counted: the newest folder has 20 events. A store of 1,000,000 events has event files first, and is "
                + "sealed; a larger one is made with sealed files. Bytes on disk are whole blocks of 4 KiB. Ten events by tag lie within 10,000 positions, other "
                + "ones for each query: of one sealed range in the middle, of the newest one, and each time of another sealed one, which then comes from "
                + "main memory and not from the processor's caches. Files are in the system's cache, and each kind of read runs for 2 s before it is measured.",
            "events", "measure", "measured", "target");
        foreach (var each in sizes)
            Report(report, await new SealedStoreRun(folder, each, isShort, cancellationToken).RunAsync());
        report.Publish(arguments.GetValue(CommonOptions.Output));
        return 0;
    }

    private static void Report(FigureReport report, SealedStoreResult result)
    {
        void Row(string measure, string measured, string target = "") => report.Row(Number.Whole(result.Events), measure, measured, target);
        var size = (double)result.BytesOnDisk / result.CanonicalBytes;
        Row("bytes on disk, of those of the canonical JSON", Invariant($"{size:F2} times, {(double)result.BytesOnDisk / result.Events:F0} bytes an event"),
            FigureReport.Target(Invariant($"at most {SizeMax} times"), size <= SizeMax));
        Row("files", Number.Whole(result.Files), FigureReport.Target(Invariant($"at most {FilesMax:N0}"), result.Files <= FilesMax));
        if (result.Sealing is { } sealing)
        {
            var rate = sealing.Events / sealing.Time.TotalSeconds;
            Row("sealing", Invariant($"{rate:N0} events/s"), FigureReport.Target(Invariant($"at least {SealedPerSecondMin:N0}"), rate >= SealedPerSecondMin));
        }
        if (result.DeletedPerSecond is { } deleted)
            Row("a loop that only reads and deletes such files", Invariant($"{deleted:N0} files/s"));
        if (result.Copying is { } copying)
        {
            Row("copying the folder, before and sealed",
                Invariant($"{copying.Before.TotalSeconds:F1} s and {copying.Sealed.TotalSeconds:F2} s, {copying.Before / copying.Sealed:F0} times"),
                FigureReport.Target(Invariant($"at least {CopyMinRatio} times faster"), copying.Before / copying.Sealed >= CopyMinRatio));
        }
        var (before, after) = (result.Before, result.Sealed);
        Row("full scan, before and sealed", Invariant($"{Number.Rate(before.Scan.Median)} and {Number.Rate(after.Scan.Median)} events/s"),
            FigureReport.Target("within 10 %", after.Scan.Median <= ScanMaxRatio * before.Scan.Median));
        Row("10 events by tag in a sealed range", $"{FigureReport.Time(after.OfOneRange)}, before {FigureReport.Time(before.OfOneRange)}",
            FigureReport.Target(Invariant($"at most {FewMaxRatio} times the newest"), after.OfOneRange.Median <= FewMaxRatio * after.OfNewest.Median));
        Row("10 events by tag in the newest range", $"{FigureReport.Time(after.OfNewest)}, before {FigureReport.Time(before.OfNewest)}");
        Row("10 events by tag, each time in another sealed range", $"{FigureReport.Time(after.OfAnyRange)}, before {FigureReport.Time(before.OfAnyRange)}");
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
