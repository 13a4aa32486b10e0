using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Reporting;
using Spectre.Console;

namespace Opossum.Benchmarks.ShopFloor;

/// <summary>The latencies as a table and a chart, and whether the target was met.</summary>
internal sealed class ShopFloorReport(string disk, TimeSpan time, IReadOnlyList<Latencies> quiet, IReadOnlyList<Latencies> copying)
{
    private const double RatioMax = 3;

    private IEnumerable<(string Title, IReadOnlyList<Latencies> Latencies)> Parts =>
        [("on a quiet disk", quiet), ("while a large file is copied", copying)];

    private string Target
    {
        get
        {
            double own = P99(ContenderName.Opossum), raw = P99(ContenderName.RawFiles);
            return $"p99 while a large file is copied: {Number.Plain(own / raw)} times that of a flush for each file; target at most {RatioMax}: "
                + $"{(own <= RatioMax * raw ? "met" : "**missed**")}";
        }
    }

    public void Print()
    {
        var table = new Table().AddColumns("", "contender", "events", "median", "p99", "maximum");
        foreach (var row in Rows())
            table.AddRow([.. row.Select(Markup.Escape)]);
        AnsiConsole.Write(table);
        AnsiConsole.WriteLine(Target.Replace("**", "", StringComparison.Ordinal));
    }

    public void Write(ResultsFile file)
    {
        var table = new MarkdownTable("", "contender", "events", "median", "p99", "maximum");
        foreach (var row in Rows())
            table.Row(row);
        var plot = file.WritePlot("shop-floor", "Latencies on the shop floor", Chart().Draw());
        file.WriteSection("shop-floor", $"""
            ## shop-floor

            {Shift.Producers} producers, each {Shift.EventsPerSecond} events/s, without waiting for the last one to be durable. Once a second one of them, in turn, reports {Shift.Burst} at once.
            {time.TotalSeconds} s for each contender, in turns, on {disk}. The latency is the time from an event's report until it is durable. The raw files are
            written by one loop for each producer, on its own thread: create, write, fsync, close. The copy repeatedly copies a large file on the same disk, without a flush.

            {plot}
            {table}
            {Target}
            """);
    }

    private BarPlot Chart() => new("Latency of an event on the shop floor (shorter is better)",
    [
        .. Parts.SelectMany(part => new (string Name, double Percent)[] { ("median", 50), ("p99", 99), ("maximum", 100) }.Select(each =>
            new BarGroup($"{each.Name}, {part.Title}", [.. part.Latencies.Select((latencies, series) => BarOf(latencies, series, each.Percent))]))),
    ]);

    private static Bar BarOf(Latencies latencies, int series, double percent)
    {
        var value = latencies.Microseconds.Percentile(percent);
        return new Bar(latencies.Contender, series, value, value, value, Number.Time(value));
    }

    private double P99(string contender) => copying.Single(each => each.Contender == contender).Microseconds.Percentile(99);

    private IEnumerable<string[]> Rows()
    {
        foreach (var (title, latencies) in Parts)
        {
            foreach (var each in latencies)
            {
                var times = each.Microseconds;
                yield return [each == latencies[0]
                    ? title
                    : "", each.Contender, Number.Whole(times.Count), Number.Time(times.Median), Number.Time(times.Percentile(99)),
                    Number.Time(times.Max)];
            }
        }
    }
}
