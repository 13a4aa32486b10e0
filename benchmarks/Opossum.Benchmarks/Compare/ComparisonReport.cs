using System.Text;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Benchmarks.Reporting;

namespace Opossum.Benchmarks.Compare;

/// <summary>The section of RESULTS.md on a comparison: machine, contenders, targets, tables and charts.</summary>
internal sealed class ComparisonReport(IReadOnlyList<ComparisonResult> results)
{
    private static readonly string contenders = $"""
        | contender | what it does |
        |---|---|
        | {ContenderName.Opossum} | the store, through its public API, all options at their defaults |
        | {ContenderName.RawFiles} | a file of {RawRecord.Length} bytes an event, by the system calls alone; one event: create, write, fsync, close; several: create, write and close each, then one syncfs |
        | {ContenderName.RawLog} | one growing file, {RawRecord.Length} bytes an event; write, fdatasync; several events: one write, one fdatasync |
        | {ContenderName.Sqlite} | version {SqliteConnection.Version}; journal_mode=WAL, synchronous=FULL, a cache of 64 MiB, page_size and wal_autocheckpoint at their defaults; a table of events and a clustered index of tags and positions; one connection, prepared statements; BEGIN IMMEDIATE, condition, inserts and COMMIT for each append or batch; concurrent writers take turns by an asynchronous lock |
        | {ContenderName.GroupedSqlite} | the same, but a task of the app takes all appends that wait, judges each one's condition, inserts them in one transaction and reports to each |

        All contenders append the same events, created before the measurement: about 120 bytes of JSON, two tags. They take turns in rounds, each round
        in another order; before each turn all dirty data is written to the disk. Each measure runs for 2 s for each contender before it is measured:
        code that has run for a moment is compiled once more. The tables give the median of the rounds, their mean, the quartiles and the extremes, for one
        event (or one query, one opening). "Against Opossum" is the contender's time divided by Opossum's, by the medians and by the means.
        Flushes are those that the kernel counted for the device; a commit of a journal is one flush where the device has FUA (a write that
        passes its cache), otherwise two. System calls are those on files, counted by strace.

        Reads as bytes return position, type, tags, time, id and a copy of the JSON of each event; reads as objects return the JSON deserialized by
        the same source-generated serializer. SQLite's tags are returned as one unparsed text. All files are in the system's cache. Queries repeat the
        same tags after a while, so both stores have in memory what they cache by themselves, except for the first query after opening. At the end every
        contender was read back and returned what it had been given, and all reads found the same events. Not flushed means
        `FlushEventsImmediately = false`, files without fsync, and synchronous=OFF.
        """;

    public string Write(ResultsFile file)
    {
        var text = new StringBuilder("## compare\n\n");
        var machine = new MarkdownTable("", "");
        foreach (var (name, value) in Machine.Describe())
            machine.Row(name, value);
        for (var at = 0; at < results.Count; at++)
            machine.Row(at == 0 ? "File system" : $"File system {at + 1}", results[at].Disk);
        text.Append(machine).Append('\n').Append(contenders).Append("\n\n");
        for (var at = 0; at < results.Count; at++)
        {
            var suffix = at == 0 ? "" : $"-{at + 1}";
            text.Append($"### {results[at].Disk}\n\n");
            text.Append(file.WritePlot("appends" + suffix, "Time of an append by contender", Appends(results[at]).Draw()));
            text.Append(file.WritePlot("reads" + suffix, "Time of a read by contender", Reads(results[at]).Draw())).Append('\n');
            text.Append(TargetTable(results[at])).Append('\n').Append(TimeTable(results[at])).Append('\n');
        }
        file.WriteSection("compare", text.ToString());
        return text.ToString();
    }

    private static string TargetTable(ComparisonResult result)
    {
        var table = new MarkdownTable("measure", "target", "measured", "");
        foreach (var target in new Targets(result).Judge())
            table.Row(target.Measure, target.Wanted, target.Measured, target.Verdict);
        return table.ToString();
    }

    private static string TimeTable(ComparisonResult result)
    {
        var table =
            new MarkdownTable("measure", "contender", "median", "mean", "quartiles", "extremes", "events/s", "against Opossum", "flushes",
                "system calls");
        foreach (var row in result.Rows)
        {
            foreach (var each in row.Contenders)
            {
                var times = each.Microseconds;
                table.Row(
                    each == row.Contenders[0] ? row.Measure : "",
                    each.Contender,
                    Number.Time(times.Median),
                    Number.Time(times.Mean),
                    $"{Number.Time(times.LowerQuartile)} – {Number.Time(times.UpperQuartile)}",
                    $"{Number.Time(times.Min)} – {Number.Time(times.Max)}",
                    row.IsPerEvent ? Number.Rate(times.Median) : "",
                    each.Contender == ContenderName.Opossum
                        ? ""
                        : $"{Number.Plain(result.Ratio(row.Measure, each.Contender, ContenderName.Opossum))}, "
                        + $"{Number.Plain(times.Mean / row.Of(ContenderName.Opossum).Microseconds.Mean)}",
                    each.Flushes is { } flushes && row.IsPerEvent ? Number.Share(flushes) : "",
                    row.SystemCalls.TryGetValue(each.Contender, out var calls) ? Number.Plain(calls) : "");
            }
        }
        return table.ToString();
    }

    private static BarPlot Appends(ComparisonResult result) => Chart(
        "Durable appends: time of an event, median and quartiles (shorter is better)", result,
        Measure.Lone, Measure.FewWriters, Measure.ManyWriters, Measure.ManyWritersUnderConditions, Measure.Batch,
        Measure.ConditionalAppend(result.Settings.Events));

    private static BarPlot Reads(ComparisonResult result) => Chart(
        "Reads: time of a query or of an event of a scan, median and quartiles (shorter is better)", result,
        Measure.ShortQuery, Measure.ShortQueryObjects, Measure.LongQuery, Measure.LongQueryObjects, Measure.Scan, Measure.ScanObjects,
        Measure.Open(result.Settings.Events));

    private static BarPlot Chart(string title, ComparisonResult result, params IEnumerable<string> measures) =>
        new(title, [.. measures.Select(measure => new BarGroup(measure, [.. result.Row(measure).Contenders.Select(BarOf)]))]);

    private static Bar BarOf(Measured measured)
    {
        var times = measured.Microseconds;
        return new Bar(measured.Contender, Comparison.Contenders.ToList().IndexOf(measured.Contender), times.Median, times.LowerQuartile,
            times.UpperQuartile, Number.Time(times.Median));
    }
}
