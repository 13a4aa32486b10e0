using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    // An event that never comes would be waited for without end.
    private const int HangMilliseconds = 60_000;

    [Fact(Timeout = HangMilliseconds)]
    public async Task Whenever_subscriptions_begin_while_others_append_each_gives_what_a_read_in_the_end_gives()
    {
        var appends = LongTests.Number(20, 60);
        var seed = Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed}");
        var random = new Random(seed);
        FileSystemEventStore[] stores =
            [.. Enumerable.Range(0, 3).Select(_ => Open(options => options.Advanced.SubscriptionPollInterval = TimeSpan.FromMilliseconds(1)))];
        string[] tags = ["k:1", "k:2", "m:1"];
        Query[] queries = [Query.All, Tagged("k:1"), Query.FromItems(Item(["a"], "k:2"), Item(["b"])), Query.FromEventTypes("end")];
        var subscriptions = new List<(Query Query, long After, Task<List<long>> Positions)>();

        var writing = stores.Select(each => WriteAsync(each, new Random(random.Next()))).ToList();
        while (!writing.TrueForAll(each => each.IsCompleted))
        {
            var from = stores[random.Next(stores.Length)];
            var (query, after) = (queries[random.Next(queries.Length)], random.Next(2) == 0 ? 0 : random.NextInt64(await from.GetHeadAsync() + 5));
            subscriptions.Add((query, after, Task.Run(() => PositionsUntilEndAsync(from, query, after))));
            await Task.WhenAny(Task.WhenAll(writing), store.AppendAsync([New("meanwhile")]));
        }
        await Task.WhenAll(writing);
        // One that asks for what lies far behind the head gets it in the end.
        await store.AppendAsync(Many(5, "filler"));
        await store.AppendAsync([New("end", "k:1", "k:2"), New("a", "k:2"), New("b", "end:2")]);

        foreach (var (query, after, positions) in subscriptions)
            Assert.Equal((await store.ReadAllAsync(Either(query))).Select(e => e.Position).Where(position => position > after), await positions);

        Task WriteAsync(FileSystemEventStore to, Random choice) => Task.Run(async () =>
        {
            for (var number = 0; number < appends; number++)
            {
                await to.AppendAsync([.. Enumerable.Range(0,
                    choice.Next(1, 4)).Select(_ =>
                        New(choice.GetItems(["a", "b", "c"], 1)[0], [.. choice.GetItems(tags, choice.Next(3)).Distinct()]))]);
            }
        });

        async Task<List<long>> PositionsUntilEndAsync(FileSystemEventStore from, Query query, long after)
        {
            var positions = new List<long>();
            await foreach (var e in from.SubscribeAsync(Either(query), after))
            {
                positions.Add(e.Position);
                if (e.Tags.Contains(new Tag("end", "2")))
                    break;
            }
            return positions;
        }

        // With the last event of all, so that there is an end.
        static Query Either(Query query) => query.IsAll ? query : Query.FromItems([.. query.Items, Item([], "end:2")]);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_subscriber_that_blocks_its_thread_holds_no_append_up()
    {
        using var release = new ManualResetEventSlim();
        var blocking = new TaskCompletionSource();
        var subscriber = Task.Run(async () =>
        {
            await foreach (var e in store.SubscribeAsync(Query.All))
            {
                blocking.SetResult();
                release.Wait();
                break;
            }
        });
        await store.AppendAsync([New("t")]);
        await blocking.Task;

        await store.AppendAsync([New("t")]);
        Assert.False(subscriber.IsCompleted);
        release.Set();
        await subscriber;
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Closing_the_store_ends_its_subscriptions()
    {
        await store.AppendAsync(Many(200));
        await using var waiting = store.SubscribeAsync(Query.All, after: 200).GetAsyncEnumerator();
        await using var reading = store.SubscribeAsync(Query.All).GetAsyncEnumerator();
        var next = waiting.MoveNextAsync();
        await NextAsync(reading, 1);
        await store.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await next);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => NextAsync(reading, 200));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => NextAsync(store.SubscribeAsync(Query.All).GetAsyncEnumerator(), 1));
    }

    private static async Task<List<long>> NextAsync(IAsyncEnumerator<SequencedEvent> subscription, int count)
    {
        var positions = new List<long>();
        while (positions.Count < count && await subscription.MoveNextAsync())
            positions.Add(subscription.Current.Position);
        return positions;
    }
}
