using Opossum.Testing;

namespace Opossum.DocTests;

public sealed class AppendConditionsSnippets : DocumentCode
{
    [Fact]
    public async Task Only_once()
    {
        await using var store = OpenStore();
        var defined = new NewEvent(new CourseDefined("c1", 2));

        var courseIsThere = Query.For<CourseDefined>(Tag.From("course", "c1"));
        await store.AppendAsync([defined], new AppendCondition(courseIsThere));

        var failed = await Assert.ThrowsAsync<AppendConditionFailedException>(() => store.AppendAsync([new NewEvent(new CourseDefined("c1", 3))], new AppendCondition(courseIsThere)));
        Assert.Equal((1, 1, false), (failed.ConflictingPosition, failed.Head, failed.IsTransient));
    }

    [Fact]
    public async Task Safe_retry()
    {
        await using var store = OpenStore();
        var query = Query.FromTags(new Tag("course", "c1"));
        var events = store.ReadAsync(query);
        await foreach (var _ in events)
            Assert.Fail("There is no event.");

        NewEvent[] decided = [new NewEvent(new CourseDefined("c1", Seats: 2))];
        var condition = new AppendCondition(query, After: events.Head);
        var first = await store.AppendAsync(decided, condition);
        var again = await store.AppendAsync(decided, condition); // The same events: nothing is appended, and the same positions come back.

        Assert.Equal(first, again);
        Assert.Equal(1, await store.GetHeadAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task A_kept_condition_is_checked_again()
    {
        await using var store = OpenStore();
        await store.AppendAsync(new NewEvent(new CourseDefined("c1", 2)));
        await store.AppendAsync(new NewEvent(new CourseDefined("c2", 2)), new AppendCondition(Query.For<CourseDefined>(new Tag("course", "c2"))));
        await using var changed = OpenStore();
        await changed.AppendAsync(new NewEvent(new CourseDefined("c2", 2)));

        var events = await store.ReadAsync(Query.All).ToListAsync(TestContext.Current.CancellationToken);
        Assert.Equal([null, 0], events.Select(static e => e.Condition?.After));
        Assert.True(await StillHoldsAsync(store, events[0]));
        Assert.True(await StillHoldsAsync(store, events[1]));
        Assert.False(await StillHoldsAsync(changed, events[1]));
    }

    public static async Task<bool> StillHoldsAsync(IEventStore store, SequencedEvent e)
    {
        if (e.Condition is not { } condition)
            return true;
        var since = new ReadOptions { After = condition.After ?? 0, UpTo = e.Position - 1 };
        return !await store.ReadAsync(condition.FailIfEventsMatch, since).AnyAsync();
    }

    private static FileSystemEventStore OpenStore()
    {
        var options = new OpossumOptions { KeepConditions = true };
        options.EventTypes.Add<CourseDefined>();
        return InMemoryEventStore.Open(options);
    }
}
