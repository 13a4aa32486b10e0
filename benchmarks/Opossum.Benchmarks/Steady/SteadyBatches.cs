using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Steady;

/// <summary>Batches of 100 events, one after another without a pause: what an event costs, and how long the longest append takes.</summary>
internal sealed class SteadyBatches(WorkFolder folder, FigureReport report, bool isShort, CancellationToken cancellationToken)
{
    private const double LongestMs = 50;
    private const int FilesOfFolder = 10_000;

    private readonly TimeSpan measured = TimeSpan.FromSeconds(isShort ? 0.3 : 15);

    public async Task RunAsync()
    {
        foreach (var each in SteadyContender.All.Where(static each => each.Name != ContenderName.Sqlite))
            await MeasureAsync(each);
        MeasureFiles("files that are flushed in groups of 100", flushes: true);
        MeasureFiles("files that are not flushed", flushes: false);
    }

    private async Task MeasureAsync(SteadyContender each)
    {
        await using var contender = each.Create(folder.Below($"batches-{each.Name.Replace(' ', '-').Replace(',', '-')}"));
        await contender.OpenAsync();
        var (feed, times) = (new EventFeed(1_000_000), new List<double>());
        folder.Settle();
        var started = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(started) < measured)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var events = feed.Take(Entrant.Batch);
            var begun = Stopwatch.GetTimestamp();
            await contender.AppendTogetherAsync(events);
            times.Add(Stopwatch.GetElapsedTime(begun).TotalMilliseconds);
        }
        var each100 = new Distribution(times);
        SteadyRate.Row(report, Cost(Stopwatch.GetElapsedTime(started), feed.Digest.Events), each.Name, each100,
            each.Name == ContenderName.GroupedSqlite ? "" : FigureReport.Target($"longest at most {LongestMs} ms", each100.Max <= LongestMs));
    }

    private void MeasureFiles(string name, bool flushes)
    {
        using var raw = new RawFiles(folder.Below(name.Replace(' ', '-')));
        var (files, count) = (0, flushes ? Entrant.Batch : FilesOfFolder);
        folder.Settle();
        var started = Stopwatch.GetTimestamp();
        for (; Stopwatch.GetElapsedTime(started) < measured; files += count)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (flushes)
                raw.CreateWriteFlushGroup(count);
            else
                raw.CreateWrite(count);
        }
        report.Row(Cost(Stopwatch.GetElapsedTime(started), files), name, "", "", "", "", "", "", "");
    }

    private static string Cost(TimeSpan elapsed, int events) =>
        string.Create(CultureInfo.InvariantCulture, $"batches of 100, {elapsed.TotalMicroseconds / events:0.0} µs an event");
}
