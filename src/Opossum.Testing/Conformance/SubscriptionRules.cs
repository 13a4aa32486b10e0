using static Opossum.Testing.Conformance.RuleEvents;

namespace Opossum.Testing.Conformance;

/// <summary>Events as they are appended.</summary>
internal static class SubscriptionRules
{
    private const string Source = "IEventStore.SubscribeAsync";

    public static IReadOnlyList<ConformanceRule> All { get; } =
    [
        new("subscription-live", "A subscription gives the events that are there, and then each as it is appended.", Source, static async store =>
        {
            await store.AppendAsync(Many(70, "t", "k:1"));
            await using var subscription = store.SubscribeAsync(Query.All).GetAsyncEnumerator();

            Expect.Same(Enumerable.Range(1, 70).Select(static position => (long)position),
                await subscription.NextAsync(70));
            for (var position = 71; position <= 80; position++)
            {
                var next = subscription.MoveNextAsync();
                Expect.True(!next.IsCompleted, "a subscription that has given all events waits");
                await store.AppendEachAsync(New("t"));
                Expect.True(await next);
                Expect.Equal(position, subscription.Current.Position);
            }
        }),

        new("subscription-query", "A subscription gives matching events only.", Source, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:1"), New("b", "k:2"), New("a"), New("b", "k:1"), New("a", "k:1"));
            await using var tagged = store.SubscribeAsync(Tagged("k:1")).GetAsyncEnumerator();
            await using var typed = store.SubscribeAsync(Query.FromEventTypes("b")).GetAsyncEnumerator();

            Expect.Same([1L, 4, 5], await tagged.NextAsync(3));
            Expect.Same([2L, 4], await typed.NextAsync(2));
        }),

        new("subscription-after", "A subscription begins after the position that it is given.", Source, static async store =>
        {
            await store.AppendAsync(Many(4, "t", "k:1"));
            await using var all = store.SubscribeAsync(Query.All, after: 2).GetAsyncEnumerator();
            await using var tagged = store.SubscribeAsync(Tagged("k:1"), after: 3).GetAsyncEnumerator();

            Expect.Same([3L, 4], await all.NextAsync(2));
            Expect.Same([4L], await tagged.NextAsync(1));
        }),

        new("subscription-beyond-head", "A subscription may begin beyond the head: it gives no event up to its position.",
            Source, static async store =>
        {
            await store.AppendEachAsync(New("a"));
            await using var late = store.SubscribeAsync(Query.All, after: 4).GetAsyncEnumerator();
            var next = late.MoveNextAsync();
            await store.AppendAsync(Many(4, "b"));

            Expect.True(await next);
            Expect.Equal(5, late.Current.Position);
        }),

        new("subscription-each", "Each enumeration is a subscription of its own.", Source, static async store =>
        {
            await store.AppendAsync(Many(3, "t"));
            var events = store.SubscribeAsync(Query.All);
            await using var first = events.GetAsyncEnumerator();
            await using var second = events.GetAsyncEnumerator();

            Expect.Same([1L, 2], await first.NextAsync(2));
            Expect.Same([1L], await second.NextAsync(1));
            Expect.Same([3L], await first.NextAsync(1));
        }),

        new("subscription-slow", "A slow subscriber misses nothing, and delays no append.", Source, static async store =>
        {
            await using var subscription = store.SubscribeAsync(Query.All).GetAsyncEnumerator();
            var next = subscription.MoveNextAsync();
            await store.AppendEachAsync(New("t"));
            Expect.True(await next);
            Expect.Equal(1, subscription.Current.Position);

            for (var number = 0; number < 100; number++)
                await store.AppendEachAsync(New("t"));

            foreach (var position in Enumerable.Range(2, 100))
                Expect.Same([(long)position], await subscription.NextAsync(1));
        }),

        new("subscription-cancelled", "A subscription ends when it is cancelled, whether it has events to give or waits.",
            Source, static async store =>
        {
            await store.AppendAsync(Many(10, "t"));
            using var cancellation = new CancellationTokenSource();
            await using var giving = store.SubscribeAsync(Query.All).GetAsyncEnumerator(cancellation.Token);
            var waiting = store.SubscribeAsync(Query.All, after: 10, cancellation.Token).GetAsyncEnumerator();
            Expect.Same([1L], await giving.NextAsync(1));
            var next = waiting.MoveNextAsync().AsTask();
            Expect.True(!next.IsCompleted, "a subscription that has given all events waits");
            await cancellation.CancelAsync();

            await Expect.ThrowsAsync<OperationCanceledException>(() => giving.MoveNextAsync().AsTask());
            await Expect.ThrowsAsync<OperationCanceledException>(() => next);
            await waiting.DisposeAsync();
        }),

        new("subscription-arguments", "A negative position and a missing query are refused at once.", Source, static async store =>
        {
            var negative = await Expect.ThrowsAsync<ArgumentOutOfRangeException>(() =>
                Task.FromResult(store.SubscribeAsync(Query.All, after: -1)));
            var missing = await Expect.ThrowsAsync<ArgumentNullException>(() =>
                Task.FromResult(store.SubscribeAsync(null!)));
            Expect.Equal(("after", "query"), (negative.ParamName, missing.ParamName));
        }),
    ];

    /// <summary>The positions of the next events, fewer if the subscription ends.</summary>
    internal static async Task<List<long>> NextAsync(this IAsyncEnumerator<SequencedEvent> subscription, int count)
    {
        var positions = new List<long>();
        while (positions.Count < count && await subscription.MoveNextAsync())
            positions.Add(subscription.Current.Position);
        return positions;
    }
}
