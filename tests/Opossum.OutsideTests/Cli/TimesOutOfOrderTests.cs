using System.Globalization;

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
