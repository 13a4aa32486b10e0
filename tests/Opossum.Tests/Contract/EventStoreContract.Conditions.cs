using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    [Fact] // Writing Events: MUST fail if an event matches the condition. Append Condition: without a position no event at all may match.
    public async Task An_append_fails_when_an_event_matches_its_condition_and_then_nothing_is_appended()
    {
        await store.AppendAsync([New("a", "k:1"), New("b", "k:2"), New("b", "k:1")]);
        var before = place.Snapshot(place.Layout.Events).Keys.ToList();
        var condition = new AppendCondition(Query.FromItems(Item(["b"], "k:1"), Item([], "k:2")));

        var refusal = await RefusalAsync(store.AppendAsync([New("c"), New("d")], condition));

        Assert.Same(condition, refusal.Condition);
        Assert.Equal((2, 3), (refusal.ConflictingPosition, refusal.Head));
        Assert.False(refusal.IsTransient);
        Assert.Contains("position 2", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("(b with k:1) or (k:2)", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(before, place.Snapshot(place.Layout.Events).Keys);
        Assert.Equal([1, 2, 3], await store.PositionsAsync());
    }

    [Fact]
    public async Task The_message_of_a_failed_condition_stays_short_however_much_the_condition_asks_for()
    {
        await store.AppendAsync([New("a", "k:1")]);
        var text = new string('x', 900);
        var many =
            Enumerable.Range(0,
                50).Select(at =>
                    Item([.. Enumerable.Range(0, 50).Select(type => $"{text}{type}")],
                        [.. Enumerable.Range(0, 50).Select(tag => $"k:{text}{at}{tag}")]));
        var condition = new AppendCondition(Query.FromItems([Item([], "k:1"), .. many]));

        var refusal = await RefusalAsync(store.AppendAsync([New("b")], condition));

        Assert.Same(condition, refusal.Condition);
        Assert.InRange(refusal.Message.Length, 1, 2_000);
        Assert.Contains("matches (k:1) or (", refusal.Message, StringComparison.Ordinal);
        Assert.Contains(" or 49 more",
            new AppendConditionFailedException(new AppendCondition(Query.FromItems([Item([text]), .. many.Skip(1)])), 1, 1).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_append_succeeds_when_no_event_matches_its_condition()
    {
        await store.AppendAsync([New("a", "k:1")], new AppendCondition(Query.All));
        await store.AppendAsync([New("b", "k:1")], new AppendCondition(Tagged("k:2")));
        await store.AppendAsync([New("c", "k:1")],
            new AppendCondition(Query.FromItems(Item(["c"], "k:1"), Item([], "k:1", "k:2"), Item(["x", "y"]))));

        Assert.Equal([1, 2, 3], await store.PositionsAsync());
    }

    [Fact] // Append Condition: the store MUST ignore events up to the position.
    public async Task Only_events_behind_the_position_of_a_condition_count()
    {
        for (var at = 1; at <= 5; at++)
            await store.AppendAsync([New(at % 2 == 0 ? "even" : "odd", "k:1")]);
        var odd = Query.FromEventTypes("odd");

        foreach (var (query, after, conflict) in new (Query, long?, long)[]
        {
            (odd, null, 1), (odd, 0, 1), (odd, 1, 3), (odd, 2, 3), (odd, 3, 5), (odd, 4, 5),
            (Tagged("k:1"), 4, 5), (Query.All, null, 1), (Query.All, 0, 1), (Query.All, 3, 4), (Query.All, 4, 5),
            (Query.FromItems(Item(["even"]), Item(["odd"], "k:1")), 1, 2),
        })
        {
            var refusal = await RefusalAsync(store.AppendAsync([New("x")], new AppendCondition(query, after)));
            Assert.Equal((conflict, 5), (refusal.ConflictingPosition, refusal.Head));
        }
        Assert.Equal(5, await store.GetHeadAsync());
    }

    [Fact] // Append Condition: the position may be higher than that of the last match.
    public async Task A_condition_after_the_last_match_the_head_or_beyond_it_holds()
    {
        await store.AppendAsync([New("a"), New("b")]);

        Assert.Equal(3, (await store.AppendAsync([New("c")], new AppendCondition(Query.FromEventTypes("a"), After: 1))).FirstPosition);
        Assert.Equal(4, (await store.AppendAsync([New("d")], new AppendCondition(Query.All, After: 3))).FirstPosition);
        Assert.Equal(5, (await store.AppendAsync([New("e")], new AppendCondition(Query.All, After: 100))).FirstPosition);
        Assert.Equal(6, (await store.AppendAsync([New("f")], new AppendCondition(Tagged("k:1"), After: long.MaxValue))).FirstPosition);
    }

    [Fact]
    public async Task An_append_does_not_stand_in_its_own_way()
    {
        await store.AppendAsync([New("a", "k:1"), New("a", "k:1")], new AppendCondition(Tagged("k:1")));
        await RefusalAsync(store.AppendAsync([New("a", "k:1")], new AppendCondition(Tagged("k:1"))));

        Assert.Equal(2, await store.GetHeadAsync());
    }

    [Fact]
    public async Task The_head_of_a_read_guards_what_was_decided_on_it()
    {
        await store.AppendAsync([New("course-defined", "course:c1"), New("course-defined", "course:c2")]);
        var query = Tagged("course:c1");
        var stream = store.ReadAsync(query);
        Assert.Equal(1, await CountAsync(stream));

        await store.AppendAsync([New("subscribed", "course:c2")], new AppendCondition(Tagged("course:c2"), stream.Head));
        await store.AppendAsync([New("subscribed", "course:c1")], new AppendCondition(query, stream.Head));
        var refusal = await RefusalAsync(store.AppendAsync([New("subscribed", "course:c1")], new AppendCondition(query, stream.Head)));
        Assert.Equal((4, 4), (refusal.ConflictingPosition, refusal.Head));
    }

    [Fact]
    public async Task A_condition_sees_what_another_process_has_appended()
    {
        var other = Open();
        await other.AppendAsync([New("a", "k:1")]);

        Assert.Equal(1, (await RefusalAsync(store.AppendAsync([New("b")], new AppendCondition(Tagged("k:1"))))).ConflictingPosition);
        await store.AppendAsync([New("b", "k:1")]);
        Assert.Equal(2, (await RefusalAsync(other.AppendAsync([New("c")], new AppendCondition(Tagged("k:1"), After: 1)))).ConflictingPosition);
        Assert.Equal(3, (await other.AppendAsync([New("c")], new AppendCondition(Tagged("k:1"), After: 2))).FirstPosition);
    }
}
