using System.Text.Json.Nodes;
using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class ProjectionsTests : StoreTest
{
    private const int HangMilliseconds = 60_000;

    private static readonly ProjectionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(1), MaxRetryAttempts = 0 };

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_store_without_projections_says_so()
    {
        Assert.Equal("No projections: no process has built any states in this store.\n", (await ListAsync()).Succeeded().Out);
        var unknown = await Shell.RunAsync("projections", "rebuild", Store, "totals");
        Assert.Equal(ExitCode.Usage, unknown.ExitCode);
        Assert.Equal("opossum: The store has no projection totals. It has none. Nothing was changed.\n", unknown.Error);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task They_are_listed_with_their_lag_and_their_states_are_read()
    {
        await BuildAsync(failAt: 0);
        (await Shell.RunAsync("{}", ["append", Store, "--type", "order-shipped"])).Succeeded();

        Assert.Equal("""
            name    version  position  state
            totals        1         4  1 event behind

            """.ReplaceLineEndings("\n"), (await ListAsync()).Succeeded().Out);
        var states = (await Shell.RunAsync("projections", "states", Store, "totals", "--json")).Succeeded();
        Assert.Equal(["""{"key":"c1","state":{"total":25}}""", """{"key":"c2","state":{"total":35}}"""], states.Lines.Order());
        Assert.Equal("c1  {\"total\":25}\n", (await Shell.RunAsync("projections", "states", Store, "totals", "--key", "c1")).Succeeded().Out);
        Assert.Equal(ExitCode.Negative, (await Shell.RunAsync("projections", "states", Store, "totals", "--key", "c9")).ExitCode);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_projection_that_has_stopped_is_a_negative_answer_and_can_be_told_to_skip()
    {
        await BuildAsync(failAt: 4, hasStopped: true);

        var listed = await ListAsync("--json");
        Assert.Equal(ExitCode.Negative, listed.ExitCode);
        var projection = listed.Json.GetProperty("projections")[0];
        Assert.Equal(4, projection.GetProperty("fault").GetProperty("position").GetInt64());
        Assert.Contains("order-placed", (await ListAsync()).Out, StringComparison.Ordinal);

        foreach (var how in (string[])["--yes", "--dry-run"])
            Assert.Equal(ExitCode.Usage, (await Shell.RunAsync("projections", "skip", Store, "totals", "3", "--reason", "a test", how)).ExitCode);
        (await Shell.RunAsync("projections", "skip", Store, "totals", "4", "--reason", "a test", "--dry-run")).Succeeded();
        Assert.Contains("\"openRequests\": 0", (await ListAsync("--json")).Out, StringComparison.Ordinal);
        (await Shell.RunAsync("projections", "skip", Store, "totals", "4", "--reason", "a test", "--yes")).Succeeded();
        Assert.Contains("\"openRequests\": 1", (await ListAsync("--json")).Out, StringComparison.Ordinal);

        await BuildAsync(failAt: 4);
        projection = (await ListAsync("--json")).Succeeded().Json.GetProperty("projections")[0];
        Assert.Equal((4, 0), (projection.GetProperty("skipped")[0].GetInt64(), projection.GetProperty("lag").GetInt64()));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Rebuild_and_retry_are_requests_that_the_next_leader_carries_out()
    {
        await BuildAsync(failAt: 0);

        (await Shell.RunAsync("projections", "rebuild", Store, "totals")).Succeeded();
        (await Shell.RunAsync("projections", "retry", Store, "totals")).Succeeded();

        Assert.Contains("2 requests not carried out yet", (await ListAsync()).Out, StringComparison.Ordinal);
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store }))
        await using (var running = store.StartProjections([new Totals(0)], quick))
            await store.Projections["totals"].RebuildAsync();
        Assert.DoesNotContain("request", (await ListAsync()).Out, StringComparison.Ordinal);
    }

    private Task<ShellResult> ListAsync(params string[] options) => Shell.RunAsync(["projections", "list", Store, .. options]);

    private async Task BuildAsync(long failAt, bool hasStopped = false)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store });
        await using var running = store.StartProjections([new Totals(failAt)], quick);
        // It has stopped, or is done.
        var status = await store.Projections["totals"].GetStatusAsync();
        while (hasStopped ? status.Fault is null : status.Position < 4)
        {
            await Task.Yield();
            status = await store.Projections["totals"].GetStatusAsync();
        }
    }

    private sealed class Totals : Projection<JsonNode>
    {
        public Totals(long failAt)
            : base("totals") => On("order-placed", static e => e.Tags.Where(tag => tag.Key == "customer").Select(tag => tag.Value), (state, e) =>
        {
            if (e.Position == failAt)
                throw new FormatException("This order has no total.");
            var total = JsonNode.Parse(e.Json.Span)!["total"]!.GetValue<int>();
            return new JsonObject { ["total"] = total + (state?["total"]?.GetValue<int>() ?? 0) };
        });
    }
}
