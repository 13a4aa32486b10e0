using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Journal;

/// <summary>
/// An assembly line: 25 events a second, one at a time, in turns to a store with a journal, one without and a raw log; also beside a large copy.
/// </summary>
internal sealed class JournalAssemblyLine(WorkFolder folder, FigureReport report, bool isShort, CancellationToken cancellationToken)
{
    private const double ShareMax = 0.5;
    private const int EventsPerSecond = 25;
    private const int CopyBytes = 1024 * 1024 * 1024;

    // The first ones are the runtime's: code that has run for a moment is compiled once more.
    private readonly int unmeasured = isShort ? 30 : 750;

    public async Task RunAsync()
    {
        await MeasureAsync("assembly line, 25 events/s", isBesideCopy: false);
        await MeasureAsync("assembly line, beside a copy of a large file", isBesideCopy: true);
    }

    private async Task MeasureAsync(string measure, bool isBesideCopy)
    {
        var name = isBesideCopy ? "beside-copy" : "line";
        await using var with = new OpossumContender(folder.Below($"{name}-journal"), useJournal: true);
        await using var without = new OpossumContender(folder.Below(name));
        await with.OpenAsync();
        await without.OpenAsync();
        await using var raw = await Contender.OpenAsync(ContenderName.RawLogInPlace, folder.Below($"{name}-raw"));
        IContender[] contenders = [with, without, raw];
        var pace = TimeSpan.FromSeconds(1) / EventsPerSecond / contenders.Length;
        var (times, feed) = (contenders.ToDictionary(static each => each, static _ => new List<double>()), new EventFeed(100_000));
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var copying = isBesideCopy ? Task.Run(() => Copy(stop.Token), CancellationToken.None) : Task.CompletedTask;
        try
        {
            for (var turn = 0; turn < unmeasured + (isShort ? 90 : 4_500); turn++)
            {
                await Task.Delay(pace, cancellationToken);
                var contender = contenders[turn % contenders.Length];
                var taken = feed.Take(1);
                var started = Stopwatch.GetTimestamp();
                await contender.AppendAloneAsync(taken);
                if (turn >= unmeasured)
                    times[contender].Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds);
            }
        }
        finally
        {
            await stop.CancelAsync();
            await copying;
        }
        var others = new Distribution(times[without]);
        foreach (var (contender, list) in times)
        {
            var time = new Distribution(list);
            report.Row(measure, contender.Name, FigureReport.Time(time), Number.Time(time.Mean),
                string.Create(CultureInfo.InvariantCulture, $"p99 {Number.Time(time.Percentile(99))}"),
                contender == with
                    ? FigureReport.Target(string.Create(CultureInfo.InvariantCulture, $"p99 at most {ShareMax} times"),
                        time.Percentile(99) <= ShareMax * others.Percentile(99))
                    : "");
        }
    }

    // As a program copies: written to the cache, and the system writes it to the disk when it likes.
    private void Copy(CancellationToken stop)
    {
        var bytes = new byte[1024 * 1024];
        while (!stop.IsCancellationRequested)
        {
            using var file = File.OpenHandle(folder.Below("copy"), FileMode.Create, FileAccess.Write);
            for (var at = 0L; at < CopyBytes && !stop.IsCancellationRequested; at += bytes.Length)
                RandomAccess.Write(file, bytes, at);
        }
    }
}
