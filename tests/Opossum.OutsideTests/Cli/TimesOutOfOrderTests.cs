using System.Globalization;
using Opossum.Cli.Commands;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.CliTests;

/// <summary>Stores whose times are not in the order of their positions, as after an import of older events.</summary>
public sealed class TimesOutOfOrderTests : IDisposable
{
    private readonly Shell shell = new();

    private string Store => shell.PathOf("sales");

    public void Dispose() => shell.Dispose();

    [Theory]
    [InlineData("2026-11-20*20 2019-03-01*3", "2026-11-20 20|2019-03-01 3")]
    [InlineData("2026-11-20*20 2019-03-01*3 2026-11-21*5", "2026-11-21 5|2026-11-20 20|2019-03-01 3")]
    [InlineData("2019-03-01*3 2026-11-20*20", "2026-11-20 20|2019-03-01 3")]
    [InlineData("2026-11-20*9 2026-11-19*2 2026-11-20*9", "2026-11-20 18|2026-11-19 2")]
    public async Task Info_counts_each_day_by_the_times_of_its_events(string imported, string expected)
    {
        await ImportAsync(imported);

        var report = (await shell.RunAsync("info", Store, "--json")).Succeeded().Json;

        Assert.Equal(expected, string.Join('|', report.GetProperty("days").EnumerateArray()
            .Select(static day => $"{day.GetProperty("day").GetString()} {day.GetProperty("events").GetInt64()}")));
        Assert.Equal(0, report.GetProperty("earlier").GetInt64());
        Assert.False(report.GetProperty("daysAreSampled").GetBoolean());
    }

    // As of a store with more events than are counted one by one.
    [Theory]
    [InlineData("2026-11-20*5 2026-11-21*4", true)]
    [InlineData("2026-11-20*5 2026-11-21*4 2019-03-01*3", false)]
    public async Task Info_of_a_large_store_estimates_the_days_and_says_so_unless_times_are_out_of_order(string imported, bool isEstimated)
    {
        await ImportAsync(imported);
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store, ReadOnly = true });
        var status = await store.GetStatusAsync();
        using var output = new StringWriter { NewLine = "\n" };
        using var terminal = new Terminal(output, static () => TextWriter.Null, static () => TextReader.Null);

        var growth = GrowthByDay.Find(store, status, daysMax: 14, CancellationToken.None, countedMax: status.Head - 1);
        new InfoText(terminal).Write(new InfoReport(status, growth));

        Assert.Equal([("2026-11-21", 4), ("2026-11-20", 5)], growth.Days.Take(2).Select(static each => ($"{each.Day:O}", each.Events)));
        Assert.Equal(isEstimated, growth.IsSampled);
        Assert.Contains(isEstimated ? "events by day, estimated by samples\n" : "events by day\n", output.ToString(), StringComparison.Ordinal);
        Assert.Contains(isEstimated
            ? "2026-11-20 10:00:00Z, 2026-11-21 10:00:00Z, estimated by samples\n"
            : "2019-03-01 10:00:00Z, 2026-11-21 10:00:00Z\n", output.ToString(), StringComparison.Ordinal);
        Assert.Equal(isEstimated, !output.ToString().Contains("2019-03-01  3", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_restore_until_a_time_says_what_it_leaves_out_that_is_not_later()
    {
        await ImportAsync("2026-11-20*4 2026-11-22*2 2019-03-01*3");

        var result = (await shell.RunAsync("restore", Store, shell.PathOf("restored"), "--until", "2026-11-21T00:00:00Z")).Succeeded();
        var whole = (await shell.RunAsync("restore", Store, shell.PathOf("other"), "--until", "2026-11-23T00:00:00Z")).Succeeded();

        Assert.Contains("up to position 4;", result.Out, StringComparison.Ordinal);
        Assert.Contains("3 events after it have no later time than the one asked for", result.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("no later time", whole.Out, StringComparison.Ordinal);
    }

    // Such as "2026-11-20*4": four events of that day.
    private async Task ImportAsync(string imported)
    {
        var lines = new List<string>();
        foreach (var part in imported.Split(' ').Select(static part => part.Split('*')))
        {
            for (var count = int.Parse(part[1], CultureInfo.InvariantCulture); count > 0; count--)
            {
                var position = lines.Count + 1;
                lines.Add($$"""{"position":{{position}},"type":"t","tags":[],"timestamp":"{{part[0]}}T10:00:00.0000000Z",""" +
                    $$""" "id":"{{Guid.NewGuid()}}","commit":{"first":{{position}},"last":{{position}},"after":{{position - 1}}},"data":1}""");
            }
        }
        (await shell.RunAsync("new", Store)).Succeeded();
        (await shell.RunAsync(string.Join('\n', lines) + "\n", ["import", Store])).Succeeded();
    }
}
