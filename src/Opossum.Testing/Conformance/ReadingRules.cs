using static Opossum.Testing.Conformance.RuleEvents;

namespace Opossum.Testing.Conformance;

/// <summary>Which events a read gives, in which order.</summary>
internal static class ReadingRules
{
    public static IReadOnlyList<ConformanceRule> All { get; } =
    [
        new("query-types", "The types of an item are alternatives.", RuleSources.Items, static async store =>
        {
            await store.AppendEachAsync(New("a"), New("b"), New("c"), New("a", "k:1"));

            Expect.Same([1L, 4], await store.PositionsAsync(Query.FromEventTypes("a")));
            Expect.Same([1L, 3, 4], await store.PositionsAsync(Query.FromEventTypes("c", "a")));
            Expect.Same([3L], await store.PositionsAsync(Query.FromEventTypes("unknown", "c")));
        }),

        new("query-tags", "An event needs all tags of an item, and may have more.", RuleSources.Items, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:1"), New("a", "k:1", "m:2"), New("b", "m:2", "k:1", "n:3"),
                New("b", "m:2"));

            Expect.Same([1L, 2, 3], await store.PositionsAsync(Tagged("k:1")));
            Expect.Same([2L, 3], await store.PositionsAsync(Tagged("k:1", "m:2")));
            Expect.Same([3L], await store.PositionsAsync(Tagged("n:3", "m:2", "k:1")));
            Expect.Same([], await store.PositionsAsync(Tagged("k:1", "unknown:1")));
        }),

        new("query-types-and-tags", "An item with types and tags needs one of the types and all of the tags.",
            RuleSources.Items, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:1"), New("b", "k:1"), New("c", "k:1", "m:2"), New("a", "m:2"),
                New("c"));

            Expect.Same([1L, 3], await store.PositionsAsync(Query.FromItems(Item(["a", "c"], "k:1"))));
            Expect.Same([3L], await store.PositionsAsync(Query.FromItems(Item(["a", "c"], "k:1", "m:2"))));
        }),

        new("query-items", "The items of a query are alternatives.", RuleSources.Queries, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:1"), New("b", "k:2"), New("c", "m:1"), New("d"));

            Expect.Same([1L, 2], await store.PositionsAsync(Query.FromItems(Item([], "k:1"), Item([], "k:2"))));
            Expect.Same([2L, 3, 4], await store.PositionsAsync(Query.FromItems(Item(["d"]), Item([], "k:2"), Item(["c"]))));
            Expect.Same([4L], await store.PositionsAsync(Query.FromItems(Item(["unknown"]), Item(["d"]))));
        }),

        new("query-once", "An event that matches several items comes once.", RuleSources.Queries, static async store =>
        {
            await store.AppendEachAsync(New("a", "k:1", "k:2"), New("b"), New("a", "k:1", "k:2"));

            Expect.Same([1L, 3],
                await store.PositionsAsync(Query.FromItems(Item([], "k:1"), Item([], "k:2"), Item(["a"]))));
        }),

        new("query-items-together", "Position and limit apply to the events of all items together.", RuleSources.Queries, static async store =>
        {
            await AppendSevenAsync(store);
            var query = Query.FromItems(Item([], "k:low"), Item([], "k:high"));

            Expect.Same([1L, 2], await store.PositionsAsync(query, new ReadOptions { Limit = 2 }));
            Expect.Same([2L, 3], await store.PositionsAsync(query, new ReadOptions { After = 1, Limit = 2 }));
        }),

        new("query-all", "Query.All matches every event, also one without tags.", RuleSources.Queries, static async store =>
        {
            await store.AppendEachAsync(NewEvent.FromJson("a", "{}"), New("b", "k:1"));

            Expect.Same([1L, 2], await store.PositionsAsync(Query.All));
        }),

        new("query-exact", "Types and tags match as they are written: no case is folded, and no part of a name matches.",
            RuleSources.Queries, static async store =>
        {
            await store.AppendEachAsync(New("order", "k:one"), New("Order", "k:One"), New("order-placed", "K:one"));

            Expect.Same([1L], await store.PositionsAsync(Query.FromEventTypes("order")));
            Expect.Same([2L], await store.PositionsAsync(Query.FromEventTypes("Order")));
            Expect.Same([1L], await store.PositionsAsync(Tagged("k:one")));
            Expect.Same([3L], await store.PositionsAsync(Tagged("K:one")));
            Expect.Same([], await store.PositionsAsync(Tagged("k:on")));
        }),

        new("read-after", "A read begins after the position that it is given.", RuleSources.Reading, static store =>
            ReadSevenAsync(store, new long[] { 0, 1, 4, 6, 7, 8, long.MaxValue }.Select(static after => new ReadOptions { After = after }))),

        new("read-up-to", "A read ends with the position that it is given.", RuleSources.Store, static store =>
            ReadSevenAsync(store, new long[] { 0, 1, 4, 6, 7, 8, long.MaxValue }.Select(static upTo => new ReadOptions { UpTo = upTo }))),

        new("read-limit", "A read gives at most as many matching events as its limit says.", RuleSources.Reading, static store =>
            ReadSevenAsync(store, new long[] { 0, 1, 2, 7, 100, long.MaxValue }.Select(static limit => new ReadOptions { Limit = limit }))),

        new("read-backwards", "A read backwards gives the same events in reverse.", RuleSources.Reading, static store =>
            ReadSevenAsync(store, [new ReadOptions { Backwards = true }])),

        new("read-options-together", "Position, end, limit and direction apply together: the limit last, in the direction of the read.",
            RuleSources.Store, static store =>
        {
            long?[] upTos = [null, 2, 5, 8], limits = [null, 0, 1, 3];
            bool[] directions = [false, true];
            // Two options at least: each alone has a rule of its own.
            return ReadSevenAsync(store,
                from after in new long[] { 0, 1, 3, 7 }
                from upTo in upTos
                from limit in limits
                from backwards in directions
                where (after > 0 ? 1 : 0) + (upTo is null ? 0 : 1) + (limit is null ? 0 : 1) + (backwards ? 1 : 0) >= 2
                select new ReadOptions { After = after, UpTo = upTo, Limit = limit, Backwards = backwards });
        }),

        new("read-head", "The head of a read is the position of the store's last event, whatever the read finds.",
            RuleSources.Store, static async store =>
        {
            Expect.Equal(0, await HeadOfReadAsync(store, Query.All, new ReadOptions()));
            await store.AppendEachAsync(New("a", "k:1"), New("b"), New("b"));

            foreach (var query in new[] { Query.All, Tagged("k:1"), Query.FromEventTypes("unknown") })
            {
                Expect.Equal(3, await HeadOfReadAsync(store, query, new ReadOptions()));
                Expect.Equal(3, await HeadOfReadAsync(store, query, new ReadOptions { Limit = 0 }));
                Expect.Equal(3, await HeadOfReadAsync(store, query,
                    new ReadOptions { UpTo = 1, Limit = 1, Backwards = true }));
                Expect.Equal(3, await HeadOfReadAsync(store, query, new ReadOptions { After = 100 }));
            }
        }),

        new("read-head-unknown", "A read has no head before the first event was requested.", RuleSources.Store, static async store =>
        {
            await store.AppendEachAsync(New("a"));
            var stream = store.ReadAsync(Query.All);

            await Expect.ThrowsAsync<InvalidOperationException>(() => Task.FromResult(stream.Head));
            await using var enumerator = stream.GetAsyncEnumerator();
            await Expect.ThrowsAsync<InvalidOperationException>(() => Task.FromResult(stream.Head));
            await enumerator.MoveNextAsync();
            Expect.Equal(1, stream.Head);
        }),

        new("read-stable", "An event appended after a read began is in the next enumeration and not in this one.",
            RuleSources.Store, static async store =>
        {
            await store.AppendAsync(Many(150, "t", "k:1"));
            foreach (var backwards in new[] { false, true })
            {
                var before = (await store.PositionsAsync(Tagged("k:1"))).Count;
                var stream = store.ReadAsync(Tagged("k:1"), new ReadOptions { Backwards = backwards });
                await using var enumerator = stream.GetAsyncEnumerator();
                Expect.True(await enumerator.MoveNextAsync());
                await store.AppendEachAsync(New("t", "k:1"));
                var count = 1;
                while (await enumerator.MoveNextAsync())
                    count++;

                Expect.Equal(before, count);
                Expect.Equal(before + 1, await CountAsync(stream));
            }
        }),

        new("read-cancelled", "A read ends when one of its tokens is cancelled.", RuleSources.Store, static async store =>
        {
            await store.AppendAsync(Many(3, "t"));
            using var cancellation = new CancellationTokenSource();
            await using var ofCall = store.ReadAsync(Query.All, cancellationToken: cancellation.Token).GetAsyncEnumerator();
            await using var ofEnumeration = store.ReadAsync(Query.All).GetAsyncEnumerator(cancellation.Token);
            Expect.True(await ofCall.MoveNextAsync());
            Expect.True(await ofEnumeration.MoveNextAsync());
            await cancellation.CancelAsync();

            await Expect.ThrowsAsync<OperationCanceledException>(() => ofCall.MoveNextAsync().AsTask());
            await Expect.ThrowsAsync<OperationCanceledException>(() => ofEnumeration.MoveNextAsync().AsTask());
            await Expect.ThrowsAsync<OperationCanceledException>(() => store.GetHeadAsync(cancellation.Token));
        }),

        new("head", "The head is the position of the last event, 0 in an empty store.", RuleSources.Store, static async store =>
        {
            Expect.Equal(0, await store.GetHeadAsync());
            await store.AppendAsync(Many(3, "t"));
            Expect.Equal(3, await store.GetHeadAsync());
            await store.AppendAsync([New("t")]);
            Expect.Equal(4, await store.GetHeadAsync());
        }),
    ];

    // Reads seven events with each of the options, and expects what the options say.
    private static async Task ReadSevenAsync(IEventStore store, IEnumerable<ReadOptions> options)
    {
        var queries = await AppendSevenAsync(store);
        foreach (var each in options)
        {
            foreach (var (query, matches) in queries)
            {
                var range = matches.Where(position => position > each.After && position <= (each.UpTo ?? long.MaxValue));
                Expect.Same((each.Backwards ? range.Reverse() : range).Take((int)Math.Min(each.Limit ?? 100, 100)),
                    await store.PositionsAsync(query, each), $"{query} with {each}");
            }
        }
    }

    // Queries, and the positions that match them.
    private static async Task<(Query Query, long[] Matches)[]> AppendSevenAsync(IEventStore store)
    {
        for (var at = 1; at <= 7; at++)
            await store.AppendEachAsync(New(at % 2 == 0 ? "even" : "odd", at <= 3 ? "k:low" : "k:high"));
        return [(Query.All, [1, 2, 3, 4, 5, 6, 7]), (Query.FromEventTypes("odd"), [1, 3, 5, 7]),
            (Tagged("k:high"), [4, 5, 6, 7])];
    }

    private static async Task<long> HeadOfReadAsync(IEventStore store, Query query, ReadOptions options)
    {
        var stream = store.ReadAsync(query, options);
        await CountAsync(stream);
        return stream.Head;
    }

    private static async Task<int> CountAsync(EventStream stream)
    {
        var count = 0;
        await foreach (var e in stream)
            count++;
        return count;
    }
}
