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
            Assert.Equal((1, 4), At(await RefusalAsync(blockedByFirst)));
        });

        // What each event's file says to have been durable before it tells the groups apart.
        Assert.Equal([1, 1, 1, 1], Enumerable.Range(2, 4).Select(position => flush ? place.Event(position).Commit.After : 1));
        Assert.Equal(["a", "b", "c", "d", "e"], (await store.ReadAllAsync()).Select(e => e.Type));
    }

    [Fact]
    public async Task Of_two_appends_in_different_processes_under_one_condition_exactly_one_wins()
    {
        var other = Open();
        for (var round = 0; round < 10; round++)
        {
            var condition = new AppendCondition(Tagged($"round:{round}"));
            var outcomes = await Task.WhenAll(
                TryAppendAsync(store, [New("mine", $"round:{round}"), New("mine")], condition),
                TryAppendAsync(other, [New("theirs", $"round:{round}"), New("theirs")], condition));

            Assert.Single(outcomes, won => won);
            Assert.Equal(2 * (round + 1), await store.GetHeadAsync());
            Assert.Single(await other.ReadAllAsync(Tagged($"round:{round}")));
        }
        Assert.Equal((await store.ReadAllAsync()).Select(e => e.Id), (await other.ReadAllAsync()).Select(e => e.Id));
    }

    [Fact]
    public async Task Concurrent_appends_get_whole_ranges_of_positions_without_a_gap()
    {
        var other = Open();
        var results = await Task.WhenAll(Enumerable.Range(0, 60).Select(number => Task.Run(async () =>
            await (number % 3 == 0 ? other : store).AppendAsync(Many(1 + number % 3, $"t{number}")))));

        Assert.Equal(Enumerable.Range(1, 120).Select(position => (long)position), results.SelectMany(PositionsOf).Order());
        var types = (await store.ReadAllAsync()).ConvertAll(e => e.Type);
        for (var number = 0; number < results.Length; number++)
            Assert.All(PositionsOf(results[number]), position => Assert.Equal($"t{number}", types[(int)position - 1]));
    }

    [Fact]
    public async Task A_read_sees_whole_appends_only()
    {
        var other = Open();
        var writing = Task.Run(async () =>
        {
            for (var round = 0; round < 15; round++)
                await Task.WhenAll(store.AppendAsync(Many(3, "t", "k:1")), store.AppendAsync(Many(3, "t", "k:1")));
        });
        for (var head = 0L; head < 90;)
        {
            foreach (var reader in new[] { store, other })
            {
                var stream = reader.ReadAsync(Tagged("k:1"));
                var count = await CountAsync(stream);
                Assert.Equal((0, stream.Head), (count % 3, count));
                Assert.True(stream.Head >= head);
                head = stream.Head;
            }
            if (writing.IsFaulted)
                break;
        }
        await writing;
    }

    private static async Task<bool> TryAppendAsync(FileSystemEventStore to, NewEvent[] events, AppendCondition condition)
    {
        try
        {
            await Task.Run(async () => await to.AppendAsync(events, condition));
            return true;
        }
        catch (AppendConditionFailedException)
        {
            return false;
        }
    }

    private static (long Conflict, long Head) At(AppendConditionFailedException refusal) => (refusal.ConflictingPosition, refusal.Head);

    private static IEnumerable<long> PositionsOf(AppendResult result)
    {
        for (var position = result.FirstPosition; position <= result.LastPosition; position++)
            yield return position;
    }
}
