using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    private static readonly AppendCondition once = new(Tagged("k:1"));

    [Fact]
    public async Task An_append_repeated_under_a_condition_that_its_own_events_violate_has_its_first_outcome()
    {
        await store.AppendAsync([New("before", "k:0")]);
        NewEvent[] events = [New("a", "m:1"), New("b", "k:1"), New("c", "k:1")];
        var first = await store.AppendAsync(events, once);
        await store.AppendAsync([New("after", "m:1")]);

        Assert.Equal(new AppendResult { FirstPosition = 2, LastPosition = 4 }, first);
        Assert.Equal(first, await store.AppendAsync(events, once));
        Assert.Equal(first, await store.AppendAsync(events, new AppendCondition(Query.All, After: 1)));
        Assert.Equal(first, await store.AppendAsync(events, new AppendCondition(Query.All, After: 2)));
        Assert.Equal(first, await Open().AppendAsync(events, once));
        Assert.Equal(5, await store.GetHeadAsync());
    }

    [Fact]
    public async Task An_append_repeated_in_its_own_group_is_stored_once()
    {
        NewEvent[] events = [New("a", "k:1"), New("b")];
        await InOneGroupAsync(async () =>
        {
            var first = store.AppendAsync(events, once);
            var between = store.AppendAsync([New("c", "k:1")]);
            var repeated = store.AppendAsync(events, once);

            Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 2 }, await first);
            Assert.Equal(new AppendResult { FirstPosition = 3, LastPosition = 3 }, await between);
            Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 2 }, await repeated);
        });
        Assert.Equal(3, await store.GetHeadAsync());
    }

    [Fact]
    public async Task An_append_repeated_without_a_condition_or_under_one_that_holds_is_a_new_append()
    {
        NewEvent[] events = [New("a", "k:1")];
        await store.AppendAsync(events);

        Assert.Equal(new AppendResult { FirstPosition = 2, LastPosition = 2 }, await store.AppendAsync(events));
        Assert.Equal(new AppendResult { FirstPosition = 3, LastPosition = 3 }, await store.AppendAsync(events, new AppendCondition(Tagged("k:2"))));
        Assert.Equal(new AppendResult { FirstPosition = 4, LastPosition = 4 }, await store.AppendAsync(events, new AppendCondition(Tagged("k:1"), After: 3)));
        Assert.Equal([1, 2, 3, 4], await store.PositionsAsync(Tagged("k:1")));
    }

    [Fact]
    public async Task A_retry_that_differs_in_a_part_is_a_conflict()
    {
        NewEvent a = Note("a"), b = Note("b");
        await store.AppendAsync([a, b], once);

        foreach (var different in new NewEvent[][]
        {
            [a], [b], [b, a], [a, Note("b")], [Note("a"), b], [a, b, Note("c")], [Note("c"), a, b],
            [a, Note("b", "k:2", b.Id)], [a, Note("other", "k:1", b.Id)], [a, new NewEvent(new Remarked("b"), Tag.Parse("k:1")) { Id = b.Id }],
        })
        {
            Assert.Equal((1, 2), At(await RefusalAsync(store.AppendAsync(different, once))));
        }
        Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 2 }, await store.AppendAsync([Note("a", "k:1", a.Id), Note("b", "k:1", b.Id)], once));
        Assert.Equal(2, await store.GetHeadAsync());
    }

    [Fact]
    public async Task A_retry_behind_a_foreign_event_that_matches_is_a_conflict()
    {
        NewEvent[] events = [New("a", "k:1")];
        await store.AppendAsync([New("foreign", "k:1")]);
        await store.AppendAsync(events);

        Assert.Equal((1, 2), At(await RefusalAsync(store.AppendAsync(events, once))));
        Assert.Equal(new AppendResult { FirstPosition = 2, LastPosition = 2 }, await store.AppendAsync(events, new AppendCondition(Tagged("k:1"), After: 1)));
    }

    [Fact]
    public async Task A_retry_with_tags_members_and_metadata_in_another_order_is_recognised()
    {
        var id = Guid.CreateVersion7();
        var stored = await store.AppendAsync([Priced(id, ["k:1", "k:2"], """{ "a": { "x": 1, "y": [1, 2] }, "b": 2 }""", ["a", "b"])], once);

        Assert.Equal(stored,
            await store.AppendAsync([Priced(id, ["k:2", "k:1"], """{ "b": 2, "a": { "y": [1, 2], "x": 1 } }""", ["b", "a"])], once));
        foreach (var different in new[]
        {
            Priced(id, ["k:1", "k:3"], """{ "a": { "x": 1, "y": [1, 2] }, "b": 2 }""", ["a", "b"]),
            Priced(id, ["k:1", "k:2"], """{ "a": { "x": 1, "y": [2, 1] }, "b": 2 }""", ["a", "b"]),
            Priced(id, ["k:1", "k:2"], """{ "a": { "x": 1, "y": [1, 2] }, "b": 2 }""", ["a", "c"]),
        })
        {
            Assert.Equal((1, 1), At(await RefusalAsync(store.AppendAsync([different], once))));
        }
        Assert.Equal(1, await store.GetHeadAsync());
    }

    private static NewEvent Priced(Guid id, string[] tags, string json, string[] metadata) =>
        NewEvent.FromJson("priced", json, [.. tags.Select(Tag.Parse)]) with
        {
            Id = id,
            Metadata = metadata.ToDictionary(static key => key, static key => $"{key} entry"),
        };

    private static NewEvent Note(string text, string tag = "k:1", Guid? id = null) =>
        new(new Noted(text), Tag.Parse(tag)) { Id = id ?? Guid.CreateVersion7() };
}
