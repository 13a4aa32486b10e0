using Opossum.Testing;
using Opossum.TestingTests.Examples;

namespace Opossum.TestingTests;

public sealed class TestClockTests
{
    private readonly TestClock clock = new();

    [Fact]
    public async Task Events_have_the_time_of_the_clock()
    {
        await using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = EventTypes.All, TimeProvider = clock });

        clock.Advance(TimeSpan.FromDays(3));
        await store.AppendAsync(new NewEvent(new CourseDefined("c1", 1)));

        var e = await store.ReadLastAsync(Query.All);
        Assert.Equal(new DateTimeOffset(2000, 1, 4, 0, 0, 0, TimeSpan.Zero), e!.Timestamp);
    }

    [Fact]
    public void Timers_fire_in_order_at_their_own_time()
    {
        var fired = new List<(string, TimeSpan)>();
        var start = clock.GetUtcNow();
        using var late = clock.CreateTimer(
            _ => fired.Add(("late", clock.GetUtcNow() - start)), null, TimeSpan.FromSeconds(5), Timeout.InfiniteTimeSpan);
        using var often = clock.CreateTimer(
            _ => fired.Add(("often", clock.GetUtcNow() - start)), null, TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(2));
        using var stopped = clock.CreateTimer(
            _ => fired.Add(("stopped", default)), null, TimeSpan.FromSeconds(1), Timeout.InfiniteTimeSpan);
        stopped.Dispose();

        clock.Advance(TimeSpan.FromSeconds(6));

        Assert.Equal([("often", S(2)), ("often", S(4)), ("late", S(5)), ("often", S(6))], fired);
        Assert.Equal(start + S(6), clock.GetUtcNow());
    }

    [Fact]
    public async Task A_delay_ends_when_the_clock_is_moved()
    {
        var delay = Task.Delay(TimeSpan.FromHours(1), clock);

        clock.MoveTo(clock.GetUtcNow().AddMinutes(59));
        Assert.False(delay.IsCompleted);
        clock.Advance(TimeSpan.FromMinutes(1));
        await delay;

        Assert.Throws<ArgumentOutOfRangeException>(() => clock.MoveTo(clock.GetUtcNow().AddTicks(-1)));
    }

    [Fact]
    public async Task A_timer_that_is_due_at_once_and_changed_is_only_what_it_was_changed_to()
    {
        var start = clock.GetUtcNow();
        // Only on the thread that moves the clock: one that was due at once may have fired on another before it was changed.
        using var isMoving = new ThreadLocal<bool>();
        var fired = new List<(string Name, TimeSpan Time)>();
        for (var i = 0; i < 100; i++)
        {
            Create("stopped").Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            Create("disposed").Dispose();
            Create("later").Change(S(10), Timeout.InfiniteTimeSpan);
        }
        var twice = Enumerable.Range(0, 100).Select(_ => Create("twice")).ToList();
        twice.ForEach(static timer => timer.Change(TimeSpan.Zero, S(5)));
        await FireAsync();
        twice.ForEach(static timer => timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
        await FireAsync();

        isMoving.Value = true;
        clock.Advance(S(20));
        isMoving.Value = false;

        Assert.Equal([KeyValuePair.Create(("later", S(10)), 100)], fired.CountBy(each => each));

        ITimer Create(string name) => clock.CreateTimer(_ => Fire(name), null, TimeSpan.Zero, S(5));

        void Fire(string name)
        {
            if (isMoving.Value)
                fired.Add((name, clock.GetUtcNow() - start));
        }

        // What is due at once follows what was before.
        async Task FireAsync()
        {
            var firing = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            await using var last = clock.CreateTimer(_ => firing.SetResult(), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            await firing.Task;
        }
    }

    private static TimeSpan S(int seconds) => TimeSpan.FromSeconds(seconds);
}
