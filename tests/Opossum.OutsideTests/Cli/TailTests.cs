using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class TailTests : StoreTest
{
    [Fact]
    public async Task It_shows_the_last_events_and_then_new_ones()
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store });

        var tail = Shell.RunAsync("tail", Store, "--last", "10", "--type", "order-placed", "--limit", "4", "--json");
        await store.AppendAsync([Sales.Order("order-shipped", "o2", "c2", 1), Sales.Order("order-placed", "o4", "c2", 1)]);
        var result = (await tail.WaitAsync(TimeSpan.FromMinutes(1))).Succeeded();

        Assert.Equal([1, 2, 4, 6], result.Lines.Select(line => System.Text.Json.JsonElement.Parse(line).GetProperty("position").GetInt32()));
    }

    [Fact]
    public async Task Ctrl_c_ends_it_with_the_code_for_that_and_without_a_word()
    {
        using var interruption = new CancellationTokenSource();
        var tail = Shell.RunAsync("", ["tail", Store], interruption.Token);
        await interruption.CancelAsync();

        var result = await tail.WaitAsync(TimeSpan.FromMinutes(1));

        Assert.Equal(ExitCode.Cancelled, result.ExitCode);
        Assert.Equal("", result.Error);
    }
}
