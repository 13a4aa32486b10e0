using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    // An event that never comes would be waited for without end.
    private const int HangMilliseconds = 60_000;

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_subscription_gives_the_events_that_are_there_and_then_each_as_it_is_appended()
    {
        await store.AppendAsync(Many(70, "t", "k:1"));
        await using var subscription = store.SubscribeAsync(Query.All).GetAsyncEnumerator();

        Assert.Equal(Enumerable.Range(1, 70).Select(position => (long)position), await NextAsync(subscription, 70));
        for (var position = 71; position <= 80; position++)
        {
            var next = subscription.MoveNextAsync();
            Assert.False(next.IsCompleted);
            await store.AppendAsync([New("t")]);
            Assert.True(await next);
            Assert.Equal(position, subscription.Current.Position);
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_subscription_gives_matching_events_only_and_none_up_to_the_position_it_is_told()
    {
        await store.AppendAsync([New("a", "k:1"), New("b", "k:1"), New("a"), New("b", "k:2")]);
        await using var tagged = store.SubscribeAsync(Tagged("k:1"), after: 1).GetAsyncEnumerator();
        await using var late = store.SubscribeAsync(Query.All, after: 7).GetAsyncEnumerator();
        await using var never = store.SubscribeAsync(Query.All, after: long.MaxValue).GetAsyncEnumerator();

        Assert.Equal([2], await NextAsync(tagged, 1));
        var nextTagged = tagged.MoveNextAsync();
        var nextLate = late.MoveNextAsync();
        var nextNever = never.MoveNextAsync().AsTask();
        await store.AppendAsync([New("a"), New("b", "k:2"), New("c", "k:1")]);
        Assert.True(await nextTagged);
        Assert.Equal(7, tagged.Current.Position);
        Assert.False(nextLate.IsCompleted);
        await store.AppendAsync([New("a"), New("b")]);
        Assert.True(await nextLate);
        Assert.Equal((8, "a"), (late.Current.Position, late.Current.Type));
        Assert.Equal([9], await NextAsync(late, 1));
        Assert.False(nextNever.IsCompleted);
        await store.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => nextNever);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Each_enumeration_is_a_subscription_of_its_own()
    {
        await store.AppendAsync([New("a"), New("b"), New("c")]);
        var events = store.SubscribeAsync(Query.All, after: 1);
        await using var first = events.GetAsyncEnumerator();
        await using var second = events.GetAsyncEnumerator();

        Assert.Equal([2, 3], await NextAsync(first, 2));
        Assert.Equal([2], await NextAsync(second, 1));
        await store.AppendAsync([New("d")]);
        Assert.Equal([3, 4], await NextAsync(second, 2));
        Assert.Equal([4], await NextAsync(first, 1));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_subscription_gives_the_events_of_other_processes()
    {
        var impatient = Open(options => options.Advanced.SubscriptionPollInterval = TimeSpan.FromMilliseconds(1));
        await using var subscription = impatient.SubscribeAsync(Tagged("k:1")).GetAsyncEnumerator();

        for (var position = 2; position <= 20; position += 2)
        {
            var next = subscription.MoveNextAsync();
            await store.AppendAsync([New("a"), New("b", "k:1")]);
            Assert.True(await next);
            Assert.Equal(position, subscription.Current.Position);
        }
    }

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
    public async Task A_slow_subscriber_holds_nobody_up_and_misses_nothing()
    {
        var slow = new TaskCompletionSource();
        var seen = new List<long>();
        var inFirst = new TaskCompletionSource();
        var subscriber = Task.Run(async () =>
        {
            await foreach (var e in store.SubscribeAsync(Query.All))
            {
                seen.Add(e.Position);
                inFirst.TrySetResult();
                await slow.Task;
                if (e.Position == 101)
                    break;
            }
        });
        await store.AppendAsync([New("t")]);
        await inFirst.Task;

        for (var number = 0; number < 100; number++)
            await store.AppendAsync([New("t")]);

        Assert.Equal([1], seen);
        slow.SetResult();
        await subscriber;
        Assert.Equal(Enumerable.Range(1, 101).Select(position => (long)position), seen);
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
    public async Task A_cancelled_subscription_ends_whether_it_waits_or_has_events_to_give()
    {
        using var cancellation = new CancellationTokenSource();
        await using var waiting = store.SubscribeAsync(Query.All, cancellationToken: cancellation.Token).GetAsyncEnumerator();
        var next = waiting.MoveNextAsync();
        Assert.False(next.IsCompleted);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await next);

        await store.AppendAsync(Many(10));
        using var another = new CancellationTokenSource();
        var seen = 0;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var e in store.SubscribeAsync(Query.All).WithCancellation(another.Token))
            {
                seen++;
                await another.CancelAsync();
            }
        });
        Assert.Equal(1, seen);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await NextAsync(store.SubscribeAsync(Query.All,
            cancellationToken: another.Token).GetAsyncEnumerator(), 1));
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

    [Fact]
    public void A_subscription_after_a_negative_position_or_without_a_query_is_refused_at_once()
    {
        Assert.Throws<ArgumentOutOfRangeException>("after", () => store.SubscribeAsync(Query.All, after: -1));
        Assert.Throws<ArgumentNullException>("query", () => store.SubscribeAsync(null!));
    }

    private static async Task<List<long>> NextAsync(IAsyncEnumerator<SequencedEvent> subscription, int count)
    {
        var positions = new List<long>();
        while (positions.Count < count && await subscription.MoveNextAsync())
            positions.Add(subscription.Current.Position);
        return positions;
    }
}
