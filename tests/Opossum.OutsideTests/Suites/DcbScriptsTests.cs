using Microsoft.AspNetCore.Builder;
using Opossum.Testing;

namespace Opossum.Tests.Suites;

/// <summary>
/// The scripts of dcb.events run on a store over HTTP. Their repository has no text of a license, so they are not here:
/// OPOSSUM_DCB_SCRIPTS names a folder with those of its libraries/benchmark as CommonJS, which k6 makes of them, too, and
/// with their adapters.
/// </summary>
public sealed class DcbScriptsTests
{
    // Of five appends under one condition the store takes one.
    private const string Script = """
        const http = require('k6/http'), { check } = require('k6'), exec = require('k6/execution')
        exports.options = { scenarios: {
            look: { exec: 'look', startTime: '1s', vus: 1, iterations: 1 },
            race: { exec: 'race', startTime: '0s', vus: 5, iterations: 50 },
        } }
        exports.race = () => {
            const tags = [`race${Math.floor(exec.scenario.iterationInTest / 5)}`], events = [{ type: 'won', tags, data: 'é' }]
            const answer = http.post(`${__ENV.BASE_URI}/append`, JSON.stringify({ events, condition: { failIfEventsMatch: { items: [{ tags }] } } }))
            check(answer, { 'answered': a => a.status === 200 })
        }
        exports.look = () => {
            const read = (query, options) =>
                http.get(`${__ENV.BASE_URI}/read?query=${encodeURIComponent(JSON.stringify(query))}&options=${JSON.stringify(options)}`).json()
            check(read({ items: [{ types: ['won'] }] }, {}), { 'one winner each': events => events.length === 10 })
            check(read({ items: [] }, { from: 2, limit: 1 })[0], { 'read from': event => event.position === 2 && event.data === 'é' })
            check(read({ items: [] }, { backwards: true, limit: 1 })[0], { 'read last': event => event.position >= 10 })
        }
        """;

    [Fact]
    public async Task A_script_passes_on_a_store_and_fails_on_one_that_ignores_conditions()
    {
        LongTests.SkipUnlessAsked();
        await using var store = InMemoryEventStore.Open();
        await using var other = InMemoryEventStore.Open();

        var run = await RunAsync(store, Script, "");
        var wrong = await RunAsync(new CarelessStore(other), Script, "");

        Assert.Empty(run.Errors);
        Assert.Equal((50, 50), run.Counts["answered"]);
        Assert.Equal((1, 1), run.Counts["one winner each"]);
        Assert.Equal((1, 1), run.Counts["read from"]);
        Assert.Equal((1, 1), run.Counts["read last"]);
        Assert.Equal((1, 0), wrong.Counts["one winner each"]);
    }

    [Fact]
    public async Task The_scripts_of_dcb_events_pass_on_a_store()
    {
        var folder = Environment.GetEnvironmentVariable("OPOSSUM_DCB_SCRIPTS");
        Assert.SkipUnless(folder is not null, "The scripts of dcb.events are not part of this repository: OPOSSUM_DCB_SCRIPTS names their folder.");
        var files = Directory.GetFiles(folder!, "dcb-*.js");
        Assert.NotEmpty(files);
        foreach (var file in files)
        {
            using var place = StorePlace.InFolderOnDisk();

            var run = await RunAsync(place.Open(), await File.ReadAllTextAsync(file), folder!);

            TestContext.Current.TestOutputHelper!.WriteLine($"{Path.GetFileName(file)}: {string.Join(", ",
                run.Counts.Select(static count => $"{count.Key} {count.Value}"))}");
            Assert.Empty(run.Errors);
            Assert.All(run.Counts.Where(static count => count.Key.StartsWith("DCB: ", StringComparison.Ordinal)), static check =>
                Assert.Equal(check.Value.Count, check.Value.Sum));
            // What it counts, and checks nothing of.
            if (file.EndsWith("dcb-parallel-writes.js", StringComparison.Ordinal))
                Assert.Equal(0, run.Counts["dcb_append_error_rate"].Sum);
            place.CloseStores();
            place.AssertClean();
        }
    }

    private static async Task<K6Script> RunAsync(IEventStore store, string text, string folder)
    {
        await using var page = await DcbPage.StartAsync(store);
        using var client = new HttpClient { BaseAddress = new Uri(page.Urls.Single()) };
        var script = new K6Script(text, folder, client);
        await Task.Run(script.Run);
        return script;
    }

    private sealed class CarelessStore(IEventStore store) : ForwardingStore(store)
    {
        public override Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
            CancellationToken cancellationToken = default) => base.AppendAsync(events, null, cancellationToken);
    }
}
