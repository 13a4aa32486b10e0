using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Journal;

/// <summary>A burst, and a minute of many appends, while the event files follow; beside a loop that creates and flushes files alone.</summary>
internal sealed class JournalLoad(WorkFolder folder, FigureReport report, bool isShort, CancellationToken cancellationToken)
{
    // The targets.
    private const double BurstMinPerSecond = 60_000;
    private const int PacePerSecond = 30_000;
    private const double LagMaxSeconds = 2;

    private readonly EventFeed feed = new(100_000);

    public async Task RunAsync()
    {
        await using var contender = new OpossumContender(folder.Below("load"), useJournal: true);
        await contender.OpenAsync();
        // Without it, the first burst would be the runtime's.
        await contender.AppendConcurrentlyAsync(feed.TakeForWriters(Entrant.Writers, 30));
        var bursts = new List<double>();
        for (var round = 0; round < (isShort ? 1 : 7); round++)
        {
            await WaitForFilesAsync(contender.Store);
            var each = (isShort ? 2_000 : 20_000) / Entrant.Writers;
            var taken = feed.TakeForWriters(Entrant.Writers, each);
            folder.Settle();
            var started = Stopwatch.GetTimestamp();
            await contender.AppendConcurrentlyAsync(taken);
            bursts.Add(Entrant.Writers * each / Stopwatch.GetElapsedTime(started).TotalSeconds);
        }
        var burst = new Distribution(bursts);
        report.Row("a burst of 20,000, 64 at once", contender.Name, $"{Number.Rate(1_000_000 / burst.Median)} events/s", "", "",
            FigureReport.Target($"at least {BurstMinPerSecond:N0} events/s", burst.Median >= BurstMinPerSecond));
        await WaitForFilesAsync(contender.Store);
        await MeasureMinuteAsync(contender);
        MeasureFilesAlone();
    }

    // What the disk and the file system allow, if nothing else is to be done.
    private void MeasureFilesAlone()
    {
        const int FilesOfFolder = 10_000;
        using var raw = new RawFiles(folder.Below("raw"));
        var folders = isShort ? 1 : 20;
        folder.Settle();
        var started = Stopwatch.GetTimestamp();
        for (var round = 0; round < folders; round++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            raw.CreateWriteFlushFolder(FilesOfFolder);
        }
        var rate = folders * FilesOfFolder / Stopwatch.GetElapsedTime(started).TotalSeconds;
        report.Row("files alone, flushed after each 10,000", "raw files", $"{Number.Rate(1_000_000 / rate)} files/s", "", "", "");
    }

    private async Task MeasureMinuteAsync(OpossumContender contender)
    {
        const int SlicesPerSecond = 10;
        var seconds = isShort ? 1 : 60;
        var each = PacePerSecond / SlicesPerSecond / Entrant.Writers;
        var started = Stopwatch.GetTimestamp();
        var appended = 0;
        for (var slice = 0; slice < seconds * SlicesPerSecond; slice++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            await contender.AppendConcurrentlyAsync(feed.TakeForWriters(Entrant.Writers, each + 1));
            appended += Entrant.Writers * (each + 1);
            var ahead = TimeSpan.FromSeconds((slice + 1.0) / SlicesPerSecond) - Stopwatch.GetElapsedTime(started);
            if (ahead > TimeSpan.Zero)
                await Task.Delay(ahead, cancellationToken);
        }
        var rate = appended / Stopwatch.GetElapsedTime(started).TotalSeconds;
        var ended = Stopwatch.GetTimestamp();
        await WaitForFilesAsync(contender.Store);
        var lag = Stopwatch.GetElapsedTime(ended).TotalSeconds;
        report.Row(string.Create(CultureInfo.InvariantCulture, $"{seconds} s, 64 at once"), contender.Name,
            $"{Number.Rate(1_000_000 / rate)} events/s", "", "", FigureReport.Target($"at least {PacePerSecond:N0} events/s", rate >= PacePerSecond));
        report.Row("until all files are there", contender.Name, string.Create(CultureInfo.InvariantCulture, $"{lag:F2} s"), "", "",
            FigureReport.Target($"at most {LagMaxSeconds} s", lag <= LagMaxSeconds));
    }

    private async Task WaitForFilesAsync(FileSystemEventStore store)
    {
        while ((await store.ReadStatusAsync(withCounts: false, withSizes: false, cancellationToken)).EventsInJournal > 0)
            await Task.Delay(10, cancellationToken);
    }
}
