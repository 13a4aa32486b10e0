using System.Diagnostics;
using Opossum.Diagnostics;
using Opossum.Tests.Hostile;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.Diagnostics;

[Collection(nameof(TelemetryCollection))]
public sealed class TelemetryTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolder();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task An_append_is_measured_and_is_an_activity_below_the_current_one()
    {
        using var listening = new Listening(place.Root);
        using var request = new Activity("request").Start();
        var store = place.Open();
        await store.AppendAsync(Events.Many(3), cancellationToken: Cancellation);

        Assert.Equal([1.0], listening.Of("opossum.append.duration").Select(_ => 1.0));
        Assert.Equal([3.0], listening.Of("opossum.append.events").Select(each => each.Value));
        Assert.Equal([1.0], listening.Of("opossum.group.size").Select(each => each.Value));
        Assert.NotEmpty(listening.Of("opossum.flush.duration"));
        Assert.NotEmpty(listening.Of("opossum.lock.wait_time"));
        var append = Assert.Single(listening.Activities);
        Assert.Equal(("append", request.SpanId, ActivityStatusCode.Unset), (append.OperationName, append.ParentSpanId, append.Status));
        Assert.Equal("opossum", append.GetTagItem("db.system.name"));
        Assert.Same(request, Activity.Current);
    }

    [Fact]
    public async Task A_conflict_is_an_append_with_its_error_type()
    {
        using var listening = new Listening(place.Root);
        var store = place.Open();
        await store.AppendAsync(Events.New("t"), cancellationToken: Cancellation);
        await Assert.ThrowsAsync<AppendConditionFailedException>(() => store.AppendAsync(Events.New("t"), new AppendCondition(Query.All), Cancellation));

        var failed = Assert.Single(listening.Of("opossum.append.duration"), each => each.ErrorType is not null);
        Assert.Equal("Opossum.AppendConditionFailedException", failed.ErrorType);
        Assert.Equal([1.0], listening.Of("opossum.append.events").Select(each => each.Value));
        var activity = listening.Activities[^1];
        Assert.Equal(("Opossum.AppendConditionFailedException", ActivityStatusCode.Error), (activity.GetTagItem("error.type"), activity.Status));
    }

    [Fact]
    public async Task Events_of_an_append_that_was_made_before_are_not_counted_again()
    {
        using var listening = new Listening(place.Root);
        var store = place.Open();
        var made = Events.New("t");
        for (var attempt = 0; attempt < 2; attempt++)
            Assert.Equal(1, (await store.AppendAsync([made], new AppendCondition(Query.All), Cancellation)).LastPosition);

        Assert.Equal(1.0, listening.Of("opossum.append.events").Sum(each => each.Value));
    }

    [Fact]
    public async Task Appends_that_never_reach_the_disk_are_measured_with_their_error_type()
    {
        using var listening = new Listening(place.Root);
        var store = place.Open();
        await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([], cancellationToken: Cancellation));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => store.AppendAsync(Events.New("t"), cancellationToken: new CancellationToken(canceled: true)));
        await store.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => store.AppendAsync(Events.New("t"), cancellationToken: Cancellation));

        Assert.Equal(["System.ArgumentException", "System.OperationCanceledException", "System.ObjectDisposedException"],
            listening.Of("opossum.append.duration").Select(each => each.ErrorType));
        Assert.Equal(3, listening.Activities.Count);
    }

    [Fact]
    public async Task A_read_is_measured_and_is_an_activity_only_below_another()
    {
        var store = place.Open();
        await store.AppendAsync(Events.Many(40), cancellationToken: Cancellation);
        using var listening = new Listening(place.Root);

        await store.ReadAllAsync();
        Assert.Empty(listening.Activities);
        using (var request = new Activity("request").Start())
        {
            await foreach (var _ in store.ReadAsync(Query.All, cancellationToken: Cancellation))
                break;
            Assert.Same(request, Activity.Current);
        }

        Assert.Equal([40.0, 16.0], listening.Of("opossum.read.events").Select(each => each.Value));
        Assert.Equal(2, listening.Of("opossum.read.duration").Count);
        Assert.Equal(16L, Assert.Single(listening.Activities).GetTagItem("db.response.returned_rows"));
    }

    [Fact]
    public async Task A_failed_read_is_measured_with_its_error_type()
    {
        var store = place.Open();
        await store.AppendAsync(Events.New("t"), cancellationToken: Cancellation);
        place.Patch(place.Layout.Segment(0), 0, new byte[400]);
        place.Delete(place.Layout.EventFile(1));
        using var listening = new Listening(place.Root);

        await Assert.ThrowsAsync<StoreDamagedException>(() => store.ReadAllAsync());
        Assert.Equal(["Opossum.StoreDamagedException"], listening.Of("opossum.read.duration").Select(each => each.ErrorType));
    }

    [Fact]
    public async Task A_recovery_is_measured()
    {
        await place.Open().AppendAsync(Events.New("t"), cancellationToken: Cancellation);
        place.CloseStores();
        place.Delete(place.Layout.IndexFile);
        using var listening = new Listening(place.Root);
        place.Open();

        Assert.Single(listening.Of("opossum.recovery.duration"));
    }

    [Fact]
    public async Task An_open_store_reports_what_it_knows_and_a_closed_one_nothing()
    {
        using var listening = new Listening(place.Root);
        var store = place.Open();
        Assert.Equal([0.0], listening.Observe("opossum.store.events").Select(each => each.Value));
        await store.AppendAsync(Events.Many(2), cancellationToken: Cancellation);
        place.Open();

        Assert.Equal([2.0], listening.Observe("opossum.store.events").Select(each => each.Value));
        Assert.Equal([place.Bytes(place.Layout.Segment(0)).Length], listening.Observe("opossum.store.size").Select(each => (int)each.Value));
        place.CloseStores();
        Assert.Empty(listening.Observe("opossum.store.events"));
    }

    [Fact]
    public async Task The_leader_of_a_projection_reports_its_lag()
    {
        using var listening = new Listening(place.Root);
        var store = place.Open();
        await using var runner =
            store.StartProjections([new StoppingPosts()], new ProjectionOptions { MaxRetryAttempts = 0, WriteInterval = TimeSpan.Zero });
        await store.AppendAsync(Events.New("posted"), cancellationToken: Cancellation);
        await store.Projections.Get<StoppingPosts.Posts>().WaitForAsync(1, Cancellation);
        // The first states are in the files a moment before the leader counts their events.
        while (listening.Observe("opossum.projection.lag").Select(each => each.Value) is var first && !first.SequenceEqual([0.0]))
        {
            Cancellation.ThrowIfCancellationRequested();
            await Task.Yield();
        }

        await store.AppendAsync([Events.New("refused"), Events.New("posted")], cancellationToken: Cancellation);
        await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<StoppingPosts.Posts>().WaitForAsync(3, Cancellation));
        var lag = Assert.Single(listening.Observe("opossum.projection.lag"));
        Assert.Equal((2.0, "stopping-posts"), (lag.Value, lag.Attributes["opossum.projection.name"]));
    }

    [Fact]
    public async Task The_leader_of_a_reaction_reports_its_attempts_by_outcome_its_lag_and_what_is_parked()
    {
        using var listening = new Listening(place.Root);
        var store = place.Open();
        var reaction = new RecordingReaction(ReactionStart.Head, (context, _) =>
            context.Event.Position == 1 ? throw new InvalidOperationException("no") : Task.CompletedTask);
        await using var runner = store.StartReactions([reaction], new ReactionOptions { MaxRetryAttempts = 1, RetryDelay = TimeSpan.Zero });
        await store.AppendAsync([RecordingReaction.Placed("a"), RecordingReaction.Placed("b")], cancellationToken: Cancellation);
        await runner.WaitForAsync(2, Cancellation);

        var attempts = listening.Of("opossum.reaction.attempt.duration").ToList();
        Assert.All(attempts, each => Assert.Equal("recording", each.Attributes["opossum.reaction.name"]));
        Assert.Equal(["System.InvalidOperationException", "System.InvalidOperationException", "none"],
            attempts.Select(each => each.Attributes.GetValueOrDefault("error.type") as string ?? "none").Order(StringComparer.Ordinal));
        Assert.Equal(0.0, Assert.Single(listening.Observe("opossum.reaction.lag")).Value);
        Assert.Equal(1.0, Assert.Single(listening.Observe("opossum.reaction.parked")).Value);
    }

    [Fact]
    public async Task Nothing_is_allocated_for_measuring_while_nobody_listens()
    {
        var store = place.Open();
        await store.AppendAsync(Events.New("t"), cancellationToken: Cancellation);
        Measure(1);

        Assert.Equal(0, Allocations.Of(() => Measure(1_000)));

        static void Measure(int times)
        {
            for (var time = 0; time < times; time++)
            {
                if (MeasuredAppend.Begin("store") is not null || MeasuredRead.Begin("store") is not null)
                    throw new InvalidOperationException("Somebody listens.");
                using (Instruments.Measure(Instruments.LockWaitTime, "store"))
                    Instruments.GroupSize.Record(1, Telemetry.Of("store", error: null));
            }
        }
    }

    private sealed class StoppingPosts : Projection<StoppingPosts.Posts>
    {
        public StoppingPosts()
            : base("stopping-posts")
        {
            On("posted", _ => "all", (posts, _) => new Posts((posts?.Number ?? 0) + 1));
            On("refused", _ => "all", (_, _) => throw new InvalidOperationException("Refused."));
        }

        internal sealed record Posts(int Number);
    }
}
