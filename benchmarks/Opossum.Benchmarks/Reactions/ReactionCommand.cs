using System.CommandLine;
using System.Globalization;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Reactions;

/// <summary><c>reactions</c>: how many events are handled, how soon, the cost of an idle store, and the take-over.</summary>
internal static class ReactionCommand
{
    private const int Keys = 1_000;
    private const int Idle = 100;
    private const double RateMin = 50_000;
    private const double LatencyMaxMicroseconds = 5_000;
    private const double TakeOverMaxMicroseconds = 2_000_000;

    // A hundredth of a percent of a processor: less than what a process without a store uses now and then.
    private const double IdleMaxMilliseconds = 6;

    public static Command Create()
    {
        var command =
            new Command("reactions",
                "Measures handled events a second, the time from an append to its handler, the cost of 100 reactions on an idle store, and the "
                    + "take-over after the leading process is killed.")
            {
                CommonOptions.Folder, CommonOptions.IsShort, CommonOptions.Output,
            };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        using var folder = WorkFolder.CreateNew(arguments.GetRequiredValue(CommonOptions.Folder).FullName, "reactions");
        var figures = new ReactionFigures(folder, arguments.GetValue(CommonOptions.IsShort));
        var report =
            new FigureReport("reactions", $"Reactions whose handlers do nothing, on {Machine.DescribeDisk(folder)}.", "", "measured", "target");

        var rate = await figures.RateAsync(Keys);
        report.Row($"handled events of {Number.Whole(Keys)} keys", $"{Number.Whole(rate.Median)}/s",
            FigureReport.Target($"at least {Number.Whole(RateMin)}/s", rate.Median >= RateMin));
        var (latency, flush) = await figures.LatencyAsync(cancellationToken);
        report.Row("from the append's return to the handler, median", Number.Time(latency.Median), "");
        report.Row("the same, 99 of 100", Number.Time(latency.Percentile(99)),
            FigureReport.Target($"at most {Number.Time(LatencyMaxMicroseconds)}", latency.Percentile(99) <= LatencyMaxMicroseconds));
        report.Row("a flush of one page of this disk, median and 99 of 100, in the same run",
            $"{Number.Time(flush.Median)}, {Number.Time(flush.Percentile(99))}", "");
        // With its first subscription of any kind, a process begins to look for the appends of others.
        var without = await figures.IdleAsync(0, cancellationToken);
        var one = await figures.IdleAsync(1, cancellationToken);
        var with = await figures.IdleAsync(Idle, cancellationToken);
        var more = with.ProcessorMilliseconds - one.ProcessorMilliseconds;
        report.Row("processor time of one reaction of an idle store, a minute", Milliseconds(one.ProcessorMilliseconds - without.ProcessorMilliseconds),
            "");
        report.Row(string.Create(CultureInfo.InvariantCulture, $"what {Idle} reactions take more, a minute"), Milliseconds(more),
            FigureReport.Target($"at most {Milliseconds(IdleMaxMilliseconds)}", more <= IdleMaxMilliseconds));
        if (with.Calls - without.Calls is { } calls)
            report.Row(string.Create(CultureInfo.InvariantCulture, $"reads and writes of {Idle} reactions, a minute"), Number.Whole(calls), "");
        var takeOver = await figures.TakeOverAsync(cancellationToken);
        report.Row("from the leader's SIGKILL to the handler in another process, median", Number.Time(takeOver.Median), "");
        report.Row("the same, the longest", Number.Time(takeOver.Max),
            FigureReport.Target($"at most {Number.Time(TakeOverMaxMicroseconds)}", takeOver.Max <= TakeOverMaxMicroseconds));
        report.Publish(arguments.GetValue(CommonOptions.Output));
        return 0;
    }

    private static string Milliseconds(double time) => string.Create(CultureInfo.InvariantCulture, $"{time:0} ms");
}
