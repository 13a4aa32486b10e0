using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    [Fact] // Reading Events, MUST filter by type and tag; Query Item, the type MUST be one of the item's.
    public async Task Types_of_an_item_are_alternatives()
    {
        await store.AppendAsync([New("a"), New("b"), New("c"), New("a", "k:1")]);

        Assert.Equal([1, 4], await store.PositionsAsync(Query.FromEventTypes("a")));
        Assert.Equal([1, 3, 4], await store.PositionsAsync(Query.FromEventTypes("c", "a")));
        Assert.Equal([3], await store.PositionsAsync(Query.FromEventTypes("unknown", "c")));
        Assert.Empty(await store.PositionsAsync(Query.FromEventTypes("unknown", "A")));
    }

    [Fact]
    public async Task An_event_is_found_by_its_id_whenever_the_id_was_made_and_whatever_it_is()
    {
        var early = New("early");
        var chosen = New("chosen") with { Id = new Guid("11111111-2222-4333-8444-555555555555") };
        var late = New("late") with { Id = Guid.CreateVersion7(DateTimeOffset.MaxValue.AddYears(-1_000)) };
        NewEvent[] news = [.. Many(40), chosen, .. Many(40), late, early];
        Assert.Null(await store.FindAsync(early.Id));
        foreach (var batch in news.Chunk(9))
            await store.AppendAsync(batch);

        for (var at = 0; at < news.Length; at++)
            Assert.Equal(at + 1, (await store.FindAsync(news[at].Id))?.Position);
        Assert.Null(await store.FindAsync(Guid.CreateVersion7()));
        Assert.Null(await store.FindAsync(Guid.Empty));
    }

    [Fact] // Query Item: the event's tags MUST contain all of the item's.
    public async Task Tags_of_an_item_are_all_needed()
    {
        await store.AppendAsync([New("a", "k:1"), New("a", "k:1", "m:2"), New("b", "m:2", "k:1", "n:3"), New("b", "m:2")]);

        Assert.Equal([1, 2, 3], await store.PositionsAsync(Tagged("k:1")));
        Assert.Equal([2, 3], await store.PositionsAsync(Tagged("k:1", "m:2")));
        Assert.Equal([3], await store.PositionsAsync(Tagged("n:3", "m:2", "k:1")));
        Assert.Empty(await store.PositionsAsync(Tagged("k:1", "unknown:1")));
        Assert.Empty(await store.PositionsAsync(Tagged("K:1")));
    }

    [Fact]
    public async Task An_item_with_types_and_tags_needs_one_of_the_types_and_all_of_the_tags()
    {
        await store.AppendAsync([New("a", "k:1"), New("b", "k:1"), New("c", "k:1", "m:2"), New("a", "m:2"), New("c")]);

        Assert.Equal([1, 3], await store.PositionsAsync(Query.FromItems(Item(["a", "c"], "k:1"))));
        Assert.Equal([3], await store.PositionsAsync(Query.FromItems(Item(["a", "c"], "k:1", "m:2"))));
    }

    [Fact] // Query: items are combined by OR.
    public async Task Items_of_a_query_are_alternatives_and_an_event_that_matches_several_comes_once()
    {
        await store.AppendAsync([New("a", "k:1"), New("b", "k:2"), New("c", "k:1", "k:2"), New("d"), New("a")]);

        Assert.Equal([1, 2, 3], await store.PositionsAsync(Query.FromItems(Item([], "k:1"), Item([], "k:2"))));
        Assert.Equal([1, 3, 4, 5], await store.PositionsAsync(Query.FromItems(Item(["a", "d"]), Item([], "k:1"), Item(["c"], "k:2"))));
        Assert.Equal([4], await store.PositionsAsync(Query.FromItems(Item(["unknown"]), Item(["d"]))));
    }

    [Fact] // Query: MUST have at least one item, or represent all events.
    public async Task Query_All_matches_every_event()
    {
        Assert.Empty(await store.PositionsAsync(Query.All));
        await store.AppendAsync([New("a"), New("b", "k:1")]);
        Assert.Equal([1, 2], await store.PositionsAsync(Query.All));
    }

    [Fact] // Tags: opaque strings.
    public async Task A_tag_without_a_value_is_another_than_that_with_an_empty_one()
    {
        await store.AppendAsync([New("a", "featured"), New("a", "featured:"), New("a", "featured", "featured:x", "other:featured")]);
        var other = Open();

        Assert.Equal([1, 3], await other.PositionsAsync(Query.FromTags(new Tag("featured"))));
        Assert.Equal([1, 3], await store.PositionsAsync(Query.FromTags(new Tag("featured"))));
        Assert.Equal([2], await store.PositionsAsync(Tagged("featured:")));
        Assert.Equal([3], await store.PositionsAsync(Tagged("featured", "featured:x")));
        Assert.Equal(["featured", "featured:x", "other:featured"], (await store.ReadAllAsync())[2].Tags.Select(static tag => tag.ToString()));
        await Assert.ThrowsAsync<AppendConditionFailedException>(() =>
            store.AppendAsync([New("a")], new AppendCondition(Tagged("featured"), After: 1)));
        await store.AppendAsync([New("a")], new AppendCondition(Tagged("featured:"), After: 2));
        var keys = (await store.GetStatusAsync()).TagKeys.ToDictionary(static each => each.Key, static each => (each.Events, each.Values));
        Assert.Equal((3, 3), keys["featured"]);
    }

    [Fact] // Reading Events: SHOULD start from a given position, MAY order and limit.
    public async Task A_read_begins_where_it_is_told_in_either_direction_and_ends_at_the_limit()
    {
        for (var at = 1; at <= 7; at++)
            await store.AppendAsync([New(at % 2 == 0 ? "even" : "odd", at <= 3 ? "k:low" : "k:high")]);

        foreach (var query in new[] { Query.All, Query.FromEventTypes("odd"), Tagged("k:high"),
            Query.FromItems(Item(["even"], "k:low"), Item(["odd"], "k:high")) })
        {
            long[] matches = [.. (await store.ReadAllAsync()).Where(query.Matches).Select(e => e.Position)];
            foreach (var after in new long[] { 0, 1, 2, 3, 4, 5, 6, 7, 8, int.MaxValue, long.MaxValue })
            {
                foreach (var limit in new long?[] { null, 0, 1, 2, 3, 100, long.MaxValue })
                {
                    var count = (int)Math.Min(limit ?? 100, 100);
                    var forwards = matches.Where(position => position > after).Take(count);
                    var backwards = matches.Reverse().Where(position => position > after).Take(count);
                    Assert.Equal(forwards, await store.PositionsAsync(query, new ReadOptions { After = after, Limit = limit }));
                    Assert.Equal(backwards, await store.PositionsAsync(query, new ReadOptions { After = after, Limit = limit, Backwards = true }));
                }
            }
        }
    }

    [Fact]
    public async Task A_read_ends_at_the_last_position_that_it_is_told_in_either_direction()
    {
        for (var at = 1; at <= 7; at++)
            await store.AppendAsync([New(at % 2 == 0 ? "even" : "odd", at <= 3 ? "k:low" : "k:high")]);

        foreach (var query in new[] { Query.All, Query.FromEventTypes("odd"), Tagged("k:high"),
            Query.FromItems(Item(["even"], "k:low"), Item(["odd"], "k:high")) })
        {
            long[] matches = [.. (await store.ReadAllAsync()).Where(query.Matches).Select(e => e.Position)];
            foreach (var upTo in new long?[] { 0, 1, 2, 3, 4, 5, 6, 7, 8, long.MaxValue })
            {
                foreach (var after in new long[] { 0, 1, 3, 5, 7, 8, long.MaxValue })
                {
                    foreach (var limit in new long?[] { null, 0, 2 })
                    {
                        long[] range = [.. matches.Where(position => position > after && position <= upTo)];
                        var forwards = range.Take((int)(limit ?? 100));
                        var backwards = range.Reverse().Take((int)(limit ?? 100));
                        var stream = store.ReadAsync(query, new ReadOptions { After = after, UpTo = upTo, Limit = limit });
                        Assert.Equal(forwards, await stream.Select(e => e.Position).ToListAsync());
                        Assert.Equal(7, stream.Head);
                        Assert.Equal(backwards,
                            await store.PositionsAsync(query, new ReadOptions { After = after, UpTo = upTo, Limit = limit, Backwards = true }));
                    }
                }
            }
        }
        Assert.Throws<ArgumentOutOfRangeException>(() => new ReadOptions { UpTo = -1 });
    }

    [Fact]
    public async Task A_read_that_was_given_a_cancelled_token_ends()
    {
        await store.AppendAsync(Many(3));
        using var cancellation = new CancellationTokenSource();
        await using var events = store.ReadAsync(Query.All, cancellationToken: cancellation.Token).GetAsyncEnumerator();
        Assert.True(await events.MoveNextAsync());
        await cancellation.CancelAsync();

        Assert.Equal(cancellation.Token,
            (await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await events.MoveNextAsync())).CancellationToken);
    }

    [Fact]
    public async Task The_head_of_a_read_is_the_last_position_of_the_store_whatever_the_read_finds()
    {
        Assert.Equal(0, await HeadOfReadAsync(Query.All, ReadOptions.Default));
        await store.AppendAsync([New("a", "k:1"), New("b"), New("b")]);

        foreach (var query in new[] { Query.All, Tagged("k:1"), Query.FromEventTypes("unknown") })
        {
            Assert.Equal(3, await HeadOfReadAsync(query, ReadOptions.Default));
            Assert.Equal(3, await HeadOfReadAsync(query, new ReadOptions { Limit = 0 }));
            Assert.Equal(3, await HeadOfReadAsync(query, new ReadOptions { UpTo = 1, Limit = 1, Backwards = true }));
            Assert.Equal(3, await HeadOfReadAsync(query, new ReadOptions { After = 100 }));
        }
    }

    [Fact]
    public async Task The_head_is_not_known_before_the_first_event_was_asked_for()
    {
        await store.AppendAsync([New("a")]);
        var stream = store.ReadAsync(Query.All);

        Assert.Throws<InvalidOperationException>(() => stream.Head);
        await using var enumerator = stream.GetAsyncEnumerator();
        Assert.Throws<InvalidOperationException>(() => stream.Head);
        await enumerator.MoveNextAsync();
        Assert.Equal(1, stream.Head);
    }

    [Fact]
    public async Task Events_appended_after_a_read_began_are_not_part_of_it_but_of_the_next_enumeration()
    {
        await store.AppendAsync(Many(150, "t", "k:1"));
        foreach (var backwards in new[] { false, true })
        {
            var head = await store.GetHeadAsync();
            var stream = store.ReadAsync(Tagged("k:1"), new ReadOptions { Backwards = backwards });
            await using var enumerator = stream.GetAsyncEnumerator();
            Assert.True(await enumerator.MoveNextAsync());
            await store.AppendAsync([New("t", "k:1")]);
            var count = 1;
            while (await enumerator.MoveNextAsync())
                count++;

            Assert.Equal((head, head), (count, stream.Head));
            Assert.Equal(head + 1, await CountAsync(stream));
            Assert.Equal(head + 1, stream.Head);
        }
    }

    [Fact]
    public async Task A_cancelled_read_ends()
    {
        await store.AppendAsync(Many(3));
        using var cancellation = new CancellationTokenSource();
        var seen = 0;

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var e in store.ReadAsync(Query.All).WithCancellation(cancellation.Token))
            {
                seen++;
                await cancellation.CancelAsync();
            }
        });
        Assert.Equal(1, seen);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await store.GetHeadAsync(cancellation.Token));
    }

    private async Task<long> HeadOfReadAsync(Query query, ReadOptions options)
    {
        var stream = store.ReadAsync(query, options);
        await CountAsync(stream);
        return stream.Head;
    }

    private static async Task<long> CountAsync(EventStream stream)
    {
        var count = 0L;
        await foreach (var e in stream)
            count++;
        return count;
    }
}
