using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Compare;

/// <summary>The targets, each judged by the medians of one run.</summary>
internal sealed class Targets(ComparisonResult result)
{
    private const string Opossum = ContenderName.Opossum, RawFiles = ContenderName.RawFiles, Sqlite = ContenderName.Sqlite;

    private readonly CompareSettings settings = result.Settings;

    public IReadOnlyList<Target> Judge() =>
    [
        AtMostTimes(Measure.Lone, RawFiles, 1.15),
        Flushes(Measure.Lone, 1),
        AtMostTimes(Measure.ManyWriters, RawFiles, 1.4),
        Flushes(Measure.ManyWriters, 0.03),
        AtLeastTimesAsFast(Measure.ManyWriters, Sqlite, 4),
        Alike(Measure.ManyWritersUnderConditions, Measure.ManyWriters, 1.1),
        AtMostTimes(Measure.Batch, RawFiles, 1.4),
        ConditionsOnAllSizesAlike(1.05),
        RateAtLeast(Measure.NoFlush, 15_000),
        AtMostTimes(Measure.ShortQuery, Sqlite, 0.5),
        AtMostTimes(Measure.LongQuery, Sqlite, 0.5),
        AtMostTimes(Measure.ShortQueryObjects, Sqlite, 0.8),
        AtMostTimes(Measure.LongQueryObjects, Sqlite, 0.8),
        RateAtLeast(Measure.Scan, 2_000_000),
        RateAtLeast(Measure.ScanObjects, 500_000),
        Alike(Measure.ScanBackwards, Measure.Scan, 1.05),
        AtMost(Measure.Open(settings.Events), milliseconds: 10),
        AtMost(Measure.Open(settings.EventsOfLargeStore), milliseconds: 100),
        RateAtLeast(Measure.Rebuild, 100_000),
        Alike(Measure.AppendWithTags(settings.ManyTags), Measure.AppendWithTags(settings.FewTags), 1.1),
        BytesAtMost(Measure.BytesPerEvent, 40),
        BytesAtMost(Measure.BytesPerEventRead, 400),
        BytesAtMost(Measure.BytesPerEventAppended, 2048),
    ];

    private Target AtMostTimes(string measure, string against, double bound)
    {
        var ratio = result.Ratio(measure, Opossum, against);
        return new Target(measure, $"at most {bound} times {against}",
            $"{Number.Plain(ratio)} ({Time(measure, Opossum)} to {Time(measure, against)})", ratio <= bound);
    }

    private Target AtLeastTimesAsFast(string measure, string against, double bound)
    {
        var ratio = result.Ratio(measure, against, Opossum);
        return new Target(measure, $"at least {bound} times as fast as {against}",
            $"{Number.Plain(ratio)} ({Time(measure, against)} to {Time(measure, Opossum)})", ratio >= bound);
    }

    // A commit of a journal is one flush where the device writes through its cache by itself; the bound is stated for such a device.
    private Target Flushes(string measure, double bound)
    {
        var limit = bound * (result.FlushesPerCommit ?? 1);
        var wanted =
            $"at most {Number.Share(bound)} flushes an "
                + $"event{(result.FlushesPerCommit == 2 ? $" ({Number.Share(limit)} where a commit is two)" : "")}";
        return result.Row(measure).Of(Opossum).Flushes is { } flushes
            ? new Target(measure, wanted, $"{Number.Share(flushes)} ({RawFiles}: {Number.Share(result.Row(measure).Of(RawFiles).Flushes ?? 0)})",
            flushes <= limit)
            : new Target(measure, wanted, "the device is not known", null);
    }

    private Target Alike(string measure, string other, double bound)
    {
        var ratio = result.Median(measure, Opossum) / result.Median(other, Opossum);
        return new Target(measure, $"within {Number.Whole((bound - 1) * 100)} % of {other}",
            $"{Number.Plain(ratio)} ({Time(measure, Opossum)} to {Time(other, Opossum)})", ratio <= bound);
    }

    private Target ConditionsOnAllSizesAlike(double bound)
    {
        int[] sizes = [settings.EventsOfSmallStore, settings.Events, settings.EventsOfLargeStore];
        var medians = sizes.Select(size => result.Median(Measure.ConditionalAppend(size), Opossum)).ToArray();
        var ratio = medians.Max() / medians.Min();
        var names = string.Join(" / ", sizes.Select(size => Number.Whole(size)));
        return new Target($"conditional lone append, {names} events", $"equal within {Number.Whole((bound - 1) * 100)} %",
            $"{Number.Plain(ratio)} ({string.Join(" / ", medians.Select(Number.Time))})", ratio <= bound);
    }

    private Target RateAtLeast(string measure, double bound)
    {
        var median = result.Median(measure, Opossum);
        return new Target(measure, $"at least {Number.Whole(bound)} events/s", $"{Number.Rate(median)} events/s", 1_000_000 / median >= bound);
    }

    private Target AtMost(string measure, double milliseconds) =>
        new(measure, $"at most {milliseconds} ms", Time(measure, Opossum), result.Median(measure, Opossum) <= milliseconds * 1000);

    private Target BytesAtMost(string measure, double bound) =>
        new(measure, $"at most {Number.Whole(bound)}", Number.Plain(result.Bytes[measure]), result.Bytes[measure] <= bound);

    private string Time(string measure, string contender) => Number.Time(result.Median(measure, contender));
}
