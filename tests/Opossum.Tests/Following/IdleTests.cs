using Opossum.Following;
using Opossum.Subscriptions;
using Opossum.Testing.Simulated;
using Opossum.Tests.Projections;
using Opossum.Tests.Reactions;
using Opossum.Tests.Subscriptions;

namespace Opossum.Tests.Following;

/// <summary>What a process costs that follows its store and has nothing to do, and that it misses nothing meanwhile.</summary>
public sealed class IdleTests
{
    // An event that never comes would be waited for without end.
    private const int HangMilliseconds = 60_000;

    private static readonly TimeSpan second = TimeSpan.FromSeconds(1);

    [Fact(Timeout = HangMilliseconds)]
    public async Task Polls_take_no_thread_of_the_pool()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var polled = new PolledStore(place.Open(), pollsMax: 3);
        using var watch = new HeadWatch(polled, static () => 0, TimeSpan.FromMilliseconds(1), QuietClock.Of(TimeProvider.System),
            static _ => null);
        using var cancellation = new CancellationTokenSource();
        var waiting = watch.WaitBeyondAsync(0, cancellation.Token);

        Assert.All(await polled.IsOnPool, Assert.False);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await waiting);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Projections_and_reactions_look_for_requests_and_do_nothing_else()
    {
        var clock = new HandDrivenClock();
        using var place = StorePlace.On(VolumeKind.Ext4, clock);
        var store = place.Open();
        await store.AppendAsync([Counts.Counted("a"), RecordingReaction.Placed("o")]);
        await using var projections = store.StartProjections([new Counts()]);
        await using var reactions = store.StartReactions([new RecordingReaction(ReactionStart.Beginning)]);
        await UntilAsync(async () => (await store.Projections["counts"].GetStatusAsync()).Position == 2);
        await UntilAsync(async () => (await store.Reactions["recording"].GetStatusAsync()).Position == 2);
        // What was handled is recorded after a while, and then the poll and a look for requests of each are all that is set.
        await UntilAsync(async () =>
        {
            clock.Advance(second);
            return await StayAsync(clock, timersSet: 3);
        });

        string[] looks = [$"{place.Layout.Projections}/counts/requests", $"{place.Layout.Reactions}/recording/requests"];
        // A thread may still be busy with what came before.
        await UntilAsync(() => Task.FromResult(DoesNothingElse()));

        bool DoesNothingElse()
        {
            place.Disk!.Trace = [];
            for (var seconds = 0; seconds < 5; seconds++)
                clock.Advance(second);
            var names = place.Disk.Trace.ConvertAll(static each => each.Path);
            place.Disk.Trace = null;
            Assert.All(looks, look => Assert.Contains(look, names));
            return !names.Exists(name => !looks.Contains(name)
                && (name.StartsWith(place.Layout.Projections, StringComparison.Ordinal)
                || name.StartsWith(place.Layout.Reactions, StringComparison.Ordinal)));
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task An_event_that_comes_just_before_the_wait_is_not_waited_for()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, new HandDrivenClock());
        var client = place.Disk!.Attach();
        var store = place.Open(client);
        var other = place.Open();
        await store.AppendAsync([Counts.Counted("a")]);
        var hasCome = 0;
        client.BeforeOperation = operation =>
        {
            // The leader looks for folders to remove after it has read the events.
            if (operation is { Kind: OperationKind.List } && operation.Path == $"{place.Layout.Projections}/counts"
                && HasStates(place, "counts") && Interlocked.Exchange(ref hasCome, 1) == 0)
            {
                other.AppendAsync([Counts.Counted("a")]).GetAwaiter().GetResult();
            }
        };
        var always = new ProjectionOptions { WriteInterval = TimeSpan.Zero };
        await using var projections = store.StartProjections([new Counts()], always);
        var reader = place.Open(static options => options.ReadOnly = true);
        await using var onlooker = reader.StartProjections([new Counts()]);

        await UntilAsync(async () => (await reader.Projections["counts"].GetStatusAsync()).Position == 2);
        Assert.Equal(1, hasCome);
    }

    [Fact]
    public void A_look_for_requests_that_begins_at_once_finds_its_timer()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var clock = new HastyClock();
        using var watch = new RequestWatch(place.Open().ProjectionHost(new ProjectionOptions()) with { Clock = clock }, []);

        Assert.True(clock.HasRun);
    }

    // The pool gets its turns: what it still does sets or ends a timer.
    private static async Task<bool> StayAsync(HandDrivenClock clock, int timersSet)
    {
        for (var turns = 0; turns < 10_000; turns++)
        {
            await Task.Yield();
            if (clock.TimersSet != timersSet)
                return false;
        }
        return true;
    }

    // Whether the states of the first event are written.
    private static bool HasStates(StorePlace place, string projection) =>
        place.Names($"{place.Layout.Projections}/{projection}").Exists(static name => name.StartsWith("live", StringComparison.Ordinal));

    private static async Task UntilAsync(Func<Task<bool>> condition)
    {
        while (!await condition())
        {
            TestContext.Current.CancellationToken.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }

    /// <summary>A clock on which the first timer that is set is due at once.</summary>
    private sealed class HastyClock : TimeProvider
    {
        public bool HasRun { get; private set; }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            var timer = new HastyTimer(this, () => callback(state));
            timer.Change(dueTime, period);
            return timer;
        }

        private sealed class HastyTimer(HastyClock clock, Action run) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                if (dueTime < TimeSpan.Zero || clock.HasRun)
                    return true;
                clock.HasRun = true;
                run();
                return true;
            }

            public void Dispose()
            {
            }

            public ValueTask DisposeAsync() => ValueTask.CompletedTask;
        }
    }

    private sealed class PolledStore(IEventStore store, int pollsMax) : IEventStore
    {
        private readonly List<bool> isOnPool = [];
        private readonly TaskCompletionSource<List<bool>> polled = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task<List<bool>> IsOnPool => polled.Task;

        public Task<long> GetHeadAsync(CancellationToken cancellationToken = default)
        {
            if (isOnPool.Count < pollsMax)
                isOnPool.Add(Thread.CurrentThread.IsThreadPoolThread);
            else
                polled.TrySetResult(isOnPool);
            return store.GetHeadAsync(cancellationToken);
        }

        public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
            CancellationToken cancellationToken = default) => throw new NotSupportedException();

        public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();
    }
}
