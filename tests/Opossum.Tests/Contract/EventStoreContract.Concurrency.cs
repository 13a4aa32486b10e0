using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    [Fact]
    public async Task Of_two_appends_in_one_group_under_one_condition_the_first_wins()
    {
        await store.AppendAsync([New("a")]);
        var condition = new AppendCondition(Tagged("k:1"));
        await InOneGroupAsync(async () =>
        {
            var first = store.AppendAsync([New("b", "k:1"), New("c")], condition);
            var second = store.AppendAsync([New("b", "k:1")], condition);

            Assert.Equal(new AppendResult { FirstPosition = 2, LastPosition = 3 }, await first);
            var refusal = await RefusalAsync(second);
            Assert.Equal((2, 3), (refusal.ConflictingPosition, refusal.Head));
        });

        Assert.Equal(3, await store.GetHeadAsync());
    }

    [Fact]
    public async Task Appends_in_one_group_see_each_other()
    {
        await store.AppendAsync([New("a")]);
        await InOneGroupAsync(async () =>
        {
            var first = store.AppendAsync([New("b", "k:1"), New("c", "k:2")]);
            var blocked = store.AppendAsync([New("x")], new AppendCondition(Query.FromItems(Item(["c"], "k:2"), Item(["unknown"], "k:1")), After: 1));
            var second = store.AppendAsync([New("d", "k:3")], new AppendCondition(Query.All, After: 3));
            var blockedByAll = store.AppendAsync([New("x")], new AppendCondition(Query.All, After: 3));
            var blockedByFirst = store.AppendAsync([New("x")], new AppendCondition(Query.All));
            var free = store.AppendAsync([New("e")], new AppendCondition(Query.FromItems(Item(["b"], "k:2"), Item([], "k:4"))));

            Assert.Equal(new AppendResult { FirstPosition = 2, LastPosition = 3 }, await first);
            Assert.Equal(new AppendResult { FirstPosition = 4, LastPosition = 4 }, await second);
            Assert.Equal(new AppendResult { FirstPosition = 5, LastPosition = 5 }, await free);
            Assert.Equal((3, 3), At(await RefusalAsync(blocked)));
            Assert.Equal((4, 4), At(await RefusalAsync(blockedByAll)));
            Assert.Equal((1, 1), At(await RefusalAsync(blockedByFirst)));
        });

        // What each event's file says to have been durable before it tells the groups apart.
        Assert.Equal([1, 1, 1, 1], Enumerable.Range(2, 4).Select(position => flush ? place.Event(position).Commit.After : 1));
        Assert.Equal(["a", "b", "c", "d", "e"], (await store.ReadAllAsync()).Select(e => e.Type));
    }

    [Fact]
    public async Task An_append_repeated_in_its_own_group_is_stored_once()
    {
        var once = new AppendCondition(Tagged("k:1"));
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

    private static (long Conflict, long Head) At(AppendConditionFailedException refusal) => (refusal.ConflictingPosition, refusal.Head);
}
