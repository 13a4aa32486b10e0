using Opossum.Subscriptions;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Subscriptions;

/// <summary>
/// What a subscription asks of the disk and when, and what becomes of it when something is wrong there. The clock moves by hand only.
/// </summary>
public sealed class SubscriptionTests : IDisposable
{
    // An event that never comes would be waited for without end.
    private const int HangMilliseconds = 60_000;

    private static readonly TimeSpan interval = new OpossumOptions().Advanced.SubscriptionPollInterval;

    private readonly HandDrivenClock clock = new();
    private readonly StorePlace place;
    private readonly FileSystemEventStore store;
    private readonly FileSystemEventStore other;

    public SubscriptionTests()
    {
        place = StorePlace.On(VolumeKind.Ext4, clock);
        store = place.Open();
        other = place.Open();
    }

    public void Dispose() => place.Dispose();

    [Fact(Timeout = HangMilliseconds)]
    public async Task Events_of_another_process_come_with_the_next_poll()
    {
        await using var subscription = store.SubscribeAsync(Query.All).GetAsyncEnumerator();
        for (var position = 1; position <= 5; position++)
        {
            var next = await WaitingAsync(subscription);
            await other.AppendAsync([New("t")]);
            clock.Advance(interval - TimeSpan.FromTicks(1));
            Assert.False(next.IsCompleted);
            clock.Advance(TimeSpan.FromTicks(1));
            Assert.True(await next);
            Assert.Equal(position, subscription.Current.Position);
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_wait_that_was_cancelled_before_its_store_was_closed_ends_as_cancelled()
    {
        var watch = new HeadWatch(store, static () => 0, interval, clock, static _ => null);
        watch.Dispose();

        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await watch.WaitBeyondAsync(0, CancellationToken.None));
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await watch.WaitBeyondAsync(0, new CancellationToken(canceled: true)));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Events_of_this_process_come_without_a_poll()
    {
        await using var subscription = store.SubscribeAsync(Query.All).GetAsyncEnumerator();
        var next = await WaitingAsync(subscription);
        await store.AppendAsync([New("t")]);

        Assert.True(await next);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task An_append_tells_also_of_what_another_process_appended_before()
    {
        await using var subscription = store.SubscribeAsync(Query.FromEventTypes("theirs")).GetAsyncEnumerator();
        var next = await WaitingAsync(subscription);
        await other.AppendAsync([New("theirs")]);
        await store.AppendAsync([New("mine")]);

        Assert.True(await next);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_poll_interval_is_an_option()
    {
        var patient = place.Open(options => options.Advanced.SubscriptionPollInterval = TimeSpan.FromMinutes(5));
        await using var subscription = patient.SubscribeAsync(Query.All).GetAsyncEnumerator();
        var next = await WaitingAsync(subscription);
        await other.AppendAsync([New("t")]);
        clock.Advance(TimeSpan.FromMinutes(4));
        Assert.False(next.IsCompleted);
        clock.Advance(TimeSpan.FromMinutes(1));

        Assert.True(await next);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_poll_is_not_put_off_by_those_who_begin_to_wait_meanwhile()
    {
        await using var first = store.SubscribeAsync(Query.FromEventTypes("t")).GetAsyncEnumerator();
        var next = await WaitingAsync(first);
        await other.AppendAsync([New("t")]);
        clock.Advance(interval / 2);
        var second = await WaitingAsync(store.SubscribeAsync(Query.All, after: 1).GetAsyncEnumerator());
        clock.Advance(interval / 2);

        Assert.True(await next);
        Assert.False(second.IsCompleted);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_subscriber_that_blocks_its_thread_holds_no_others_up()
    {
        using var cancellation = new CancellationTokenSource();
        var events = store.SubscribeAsync(Query.All, cancellationToken: cancellation.Token);
        using var release = new ManualResetEventSlim();
        var blocked = new TaskCompletionSource();
        await using var blocking = events.GetAsyncEnumerator();
        var blockingTask = BlockAsync(await WaitingAsync(blocking));
        var others = new List<Task<bool>>();
        for (var number = 0; number < 3; number++)
            others.Add(await WaitingAsync(events.GetAsyncEnumerator()));
        await store.AppendAsync([New("t")]);

        await blocked.Task;
        Assert.All(await Task.WhenAll(others), Assert.True);
        release.Set();
        await blockingTask;

        async Task BlockAsync(Task<bool> first)
        {
            await first.ConfigureAwait(false);
            blocked.SetResult();
            release.Wait();
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task One_read_of_the_index_end_is_the_poll_of_all_who_wait()
    {
        await other.AppendAsync([New("t")]);
        var nexts = new List<Task<bool>>();
        for (var number = 0; number < 100; number++)
            nexts.Add(await WaitingAsync(store.SubscribeAsync(Query.All, after: 1).GetAsyncEnumerator()));

        // Now and then a look is due whether the index files are still the ones; after this, not for a while.
        clock.Advance(TimeSpan.FromSeconds(2));
        for (var polls = 0; polls < 5; polls++)
            Assert.Equal([(OperationKind.Read, place.Layout.IndexFile)], OperationsIn(interval));

        await other.AppendAsync([New("t")]);
        clock.Advance(interval);
        Assert.All(await Task.WhenAll(nexts), Assert.True);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_disk_is_left_alone_while_nobody_waits()
    {
        Assert.Empty(OperationsIn(TimeSpan.FromHours(1)));

        await other.AppendAsync([New("t"), New("t")]);
        using var cancellation = new CancellationTokenSource();
        await using var subscription = store.SubscribeAsync(Query.All, cancellationToken: cancellation.Token).GetAsyncEnumerator();
        await subscription.MoveNextAsync();
        Assert.Empty(OperationsIn(TimeSpan.FromHours(1)));

        await subscription.MoveNextAsync();
        var next = await WaitingAsync(subscription);
        Assert.NotEmpty(OperationsIn(interval));
        Assert.NotEmpty(OperationsIn(interval));
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next);
        Assert.Empty(OperationsIn(TimeSpan.FromHours(1)));
        Assert.Empty(OperationsIn(TimeSpan.FromHours(1)));

        await using var later = store.SubscribeAsync(Query.All, after: 2).GetAsyncEnumerator();
        next = await WaitingAsync(later);
        await other.AppendAsync([New("t")]);
        clock.Advance(interval);
        Assert.True(await next);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_poll_that_finds_nothing_wakes_nobody()
    {
        await other.AppendAsync([New("t")]);
        var recorded = new RecordedReads(store);
        var head = 1;
        using var watch = new HeadWatch(recorded, () => head, interval, clock, static _ => null);
        await using var subscription = Subscription.FollowAsync(recorded, watch, Query.All, after: 0, CancellationToken.None).GetAsyncEnumerator();
        await subscription.MoveNextAsync();
        var next = await WaitingAsync(subscription);
        for (var polls = 0; polls < 3; polls++)
            clock.Advance(interval);
        await other.AppendAsync([New("t")]);
        head++;
        clock.Advance(interval);

        Assert.True(await next);
        Assert.Equal([0, 1], recorded.After);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_thousand_subscriptions_wait_without_a_thread_each()
    {
        using var process = System.Diagnostics.Process.GetCurrentProcess();
        var before = process.Threads.Count;
        var nexts = new List<Task<bool>>();
        for (var number = 0; number < 1_000; number++)
            nexts.Add(await WaitingAsync(store.SubscribeAsync(Tagged($"k:{number % 2}")).GetAsyncEnumerator()));
        process.Refresh();
        Assert.InRange(process.Threads.Count, 0, before + 500);

        await store.AppendAsync([New("t", "k:0"), New("t", "k:1")]);
        Assert.All(await Task.WhenAll(nexts), Assert.True);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task What_did_not_match_is_not_searched_again()
    {
        await other.AppendAsync(Many(1000, "common"));
        await other.AppendAsync([New("rare")]);
        await other.AppendAsync(Many(1000, "common"));
        var recorded = new RecordedReads(store);
        var head = 2_001;
        using var watch = new HeadWatch(store, () => head, interval, clock, static _ => null);
        await using var subscription =
            Subscription.FollowAsync(recorded, watch, Query.FromEventTypes("rare"), after: 10, CancellationToken.None).GetAsyncEnumerator();
        await subscription.MoveNextAsync();
        var next = await WaitingAsync(subscription);
        await other.AppendAsync([New("rare")]);
        head++;
        watch.WakeIfMoved();

        Assert.True(await next);
        Assert.Equal([10, 2_001], recorded.After);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_failure_that_passes_by_is_not_noticed()
    {
        await using var subscription = store.SubscribeAsync(Query.All).GetAsyncEnumerator();
        var next = await WaitingAsync(subscription);
        var fault = place.Disk!.FailNext(OperationKind.Read);
        clock.Advance(interval);
        Assert.Equal(1, fault.Hits);
        await clock.UntilTimerIsSetAsync();
        await other.AppendAsync([New("t")]);
        clock.Advance(interval);

        Assert.True(await next);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_failure_that_lasts_ends_the_subscription_and_another_goes_on_behind_the_last_event()
    {
        await other.AppendAsync([New("a"), New("b")]);
        await using var subscription = store.SubscribeAsync(Query.All).GetAsyncEnumerator();
        await subscription.MoveNextAsync();
        await subscription.MoveNextAsync();
        var last = subscription.Current.Position;
        var next = await WaitingAsync(subscription);
        place.Disk!.Fail(new Fault { When = each => each.Kind == OperationKind.Read, Lasts = true });
        clock.Advance(interval);
        await Assert.ThrowsAsync<StoreIOException>(() => next);

        place.Disk.Mend();
        await other.AppendAsync([New("c")]);
        await using var again = store.SubscribeAsync(Query.All, last).GetAsyncEnumerator();
        Assert.True(await again.MoveNextAsync());
        Assert.Equal("c", again.Current.Type);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_damaged_event_ends_the_subscription_when_its_turn_comes()
    {
        await other.AppendAsync([New("a")]);
        await using var subscription = store.SubscribeAsync(Query.All).GetAsyncEnumerator();
        await subscription.MoveNextAsync();
        var next = await WaitingAsync(subscription);
        await other.AppendAsync([New("b")]);
        var endOfLine = place.Bytes(place.Layout.Segment(0)).AsSpan().LastIndexOfAnyExcept((byte)0);
        place.Patch(place.Layout.Segment(0), endOfLine - 8, new byte[4]);
        place.Delete(place.Layout.EventFile(2));
        clock.Advance(interval);

        Assert.Equal(2, (await Assert.ThrowsAsync<StoreDamagedException>(() => next)).Position);
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Events_before_a_damaged_one_are_given_first(bool backwards)
    {
        foreach (var type in (string[])["a", "b", "c", "d", "e"])
            await other.AppendAsync([New(type)]);
        var (segment, at) = (place.Layout.Segment(place.Layout.ShardOf(3)), "\"type\":\"c\"");
        place.Patch(segment, place.Bytes(segment).AsSpan().IndexOf(System.Text.Encoding.UTF8.GetBytes(at)), new byte[4]);
        place.Delete(place.Layout.EventFile(3));
        List<long> given = [];

        var error = await Assert.ThrowsAsync<StoreDamagedException>(async () =>
        {
            var events = backwards ? store.ReadAsync(Query.All, new ReadOptions { Backwards = true }) : store.SubscribeAsync(Query.All);
            await foreach (var e in events)
                given.Add(e.Position);
        });

        Assert.Equal(3, error.Position);
        Assert.Equal(backwards ? [5, 4] : [1, 2], given);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_store_that_takes_no_appends_any_more_still_gives_events()
    {
        await using var subscription = store.SubscribeAsync(Query.FromEventTypes("theirs")).GetAsyncEnumerator();
        var next = await WaitingAsync(subscription);
        place.Disk!.FailNext(OperationKind.Flush);
        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync([New("mine")]));
        await other.AppendAsync([New("theirs")]);
        clock.Advance(interval);

        Assert.True(await next);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task An_index_that_is_built_anew_neither_skips_nor_repeats_an_event()
    {
        await using var subscription = store.SubscribeAsync(Query.All).GetAsyncEnumerator();
        for (var position = 1; position <= 20; position++)
        {
            var next = await WaitingAsync(subscription);
            if (position % 5 == 0)
            {
                place.Delete(place.Layout.IndexFile);
                place.Delete(place.Layout.Segment(0));
                clock.Advance(TimeSpan.FromSeconds(1));
            }
            await other.AppendAsync([New("t")]);
            clock.Advance(TimeSpan.FromSeconds(1));
            Assert.True(await next);
            Assert.Equal(position, subscription.Current.Position);
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Where_the_system_tells_of_writes_nobody_waits_for_the_poll()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only inotify tells of each write at once.");
        using var folder = StorePlace.InFolder();
        var reader = folder.Open(options => options.TimeProvider = clock);
        var writer = folder.Open();
        await using var subscription = reader.SubscribeAsync(Query.All).GetAsyncEnumerator();
        for (var position = 1; position <= 5; position++)
        {
            var next = await WaitingAsync(subscription);
            await writer.AppendAsync([New("t")]);
            Assert.True(await next);
        }
    }

    // Asked for the next event, and with the poll set that may find it.
    private async Task<Task<bool>> WaitingAsync(IAsyncEnumerator<SequencedEvent> subscription)
    {
        var next = subscription.MoveNextAsync().AsTask();
        await clock.UntilTimerIsSetAsync();
        Assert.False(next.IsCompleted);
        return next;
    }

    private List<(OperationKind Kind, string Path)> OperationsIn(TimeSpan time)
    {
        place.Disk!.Trace = [];
        clock.Advance(time);
        var operations = place.Disk.Trace.ConvertAll(each => (each.Kind, each.Path));
        place.Disk.Trace = null;
        return operations;
    }

    private sealed class RecordedReads(IEventStore store) : IEventStore
    {
        public List<long> After { get; } = [];

        public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default)
        {
            After.Add(options!.After);
            return store.ReadAsync(query, options, cancellationToken);
        }

        public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) => store.GetHeadAsync(cancellationToken);

        public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
            CancellationToken cancellationToken = default) => throw new NotSupportedException();

        public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();
    }
}
