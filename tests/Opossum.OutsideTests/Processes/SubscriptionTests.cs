using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

public sealed class SubscriptionTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Subscriptions_of_this_process_give_what_others_append_once_and_in_order_whichever_of_them_are_killed()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        await using var store = await folder.OpenAsync();
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var subscriptions = new List<Subscriber>();
        Subscribe();
        var crew = new Crew(folder, Seed.Choose(output), processes: 3, attemptsEach: 80)
        {
            Kills = 4,
            Meanwhile = Subscribe,
        };

        var answers = await crew.RunAsync();
        var end = await store.AppendAsync([NewEvent.FromJson("end", "{}")], cancellationToken: cancellation.Token);
        Subscribe();
        var events = await store.ReadAsync(Query.All).ToListAsync(cancellation.Token);
        foreach (var subscriber in subscriptions)
        {
            Assert.Equal(events.Where(e => e.Position > subscriber.After && subscriber.Query.Matches(e)).Select(e => (e.Position, e.Id)),
                await subscriber.Seen);
        }

        await folder.CheckAsync();
        output.WriteLine($"{subscriptions.Count} subscriptions, {end.LastPosition} events, {crew.Killed} processes killed");

        void Subscribe()
        {
            var after = subscriptions.Count * 10 % 50;
            foreach (var query in (Query[])[Query.All, Query.FromEventTypes("sold", "end"),
                Query.FromItems(new QueryItem { Tags = [new Tag("seat", "1")] }, new QueryItem { Types = ["end"] })])
            {
                subscriptions.Add(new Subscriber(query, after, Task.Run(() => SeeAsync(query, after))));
            }
        }

        async Task<List<(long, Guid)>> SeeAsync(Query query, long after)
        {
            var seen = new List<(long, Guid)>();
            await foreach (var e in store.SubscribeAsync(query, after, cancellation.Token))
            {
                seen.Add((e.Position, e.Id));
                if (e.Type == "end")
                    break;
            }
            return seen;
        }
    }

    [Fact]
    public async Task An_append_that_its_process_did_not_live_to_finish_is_given_when_another_process_takes_it_in()
    {
        using var folder = new StoreFolder();
        await using var store = await folder.OpenAsync();
        await store.AppendAsync([NewEvent.FromJson("before", "{}")]);
        using var halted = WorkerProcess.Start("halt", folder.Path, nameof(HaltPlace.BehindFlush));
        await halted.HearAsync(HaltingWriter.Halted);
        var given =
            store.SubscribeAsync(Query.All, after: 1,
                TestContext.Current.CancellationToken).Take(3).ToListAsync(TestContext.Current.CancellationToken);
        halted.Kill();
        await halted.EndAsync();
        Assert.False(given.IsCompleted);

        await using var other = await folder.OpenAsync();
        Assert.Equal([(2, "halting"), (3, "halting"), (4, "halting")], (await given).Select(e => (e.Position, e.Type)));
        await folder.CheckAsync();
    }

    private sealed record Subscriber(Query Query, long After, Task<List<(long, Guid)>> Seen);
}
