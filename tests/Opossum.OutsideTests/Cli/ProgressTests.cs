using Opossum.Cli.Terminals;

namespace Opossum.CliTests;

public sealed class ProgressTests
{
    [Fact]
    public async Task Where_there_is_no_screen_a_line_every_five_seconds_says_rate_and_time_left()
    {
        var clock = new SettableClock(Sales.FirstDay);
        using var error = new StringWriter { NewLine = "\n" };
        using var terminal = new Terminal(TextWriter.Null, () => error, () => TextReader.Null) { TimeProvider = clock };

        await ProgressDisplay.RunAsync(terminal, progress =>
        {
            foreach (var done in (long[])[1_000, 2_000, 10_000, 12_000])
            {
                progress.Report(new Step("Checking", done, 100_000));
                clock.Now += TimeSpan.FromSeconds(4);
            }
            return Task.FromResult(true);
        });

        Assert.Equal("Checking: 10,000 of 100,000 events, 1,250/s, 1:12 left\n", error.ToString());
    }

    [Theory]
    [InlineData("", 0, 10, 1)]
    [InlineData("", 5, 10, 0)]
    [InlineData("10/s", 10, 10, 1)]
    [InlineData("1/s, 1:00:01 left", 10, 3611, 10)]
    public void Pace_says_what_can_be_said(string words, double done, double total, int seconds) =>
        Assert.Equal(words, Pace.InWords(done, total, TimeSpan.FromSeconds(seconds)));
}
