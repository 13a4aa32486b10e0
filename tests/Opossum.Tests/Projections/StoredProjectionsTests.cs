using System.Text.Json.Nodes;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>What a process that does not run a projection sees of it, and can ask of the process that does.</summary>
public sealed class StoredProjectionsTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly ProjectionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(1), MaxRetryAttempts = 0 };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact(Timeout = HangMilliseconds)]
    public async Task Without_projections_there_are_none()
    {
        place.Open();
        place.CloseStores();
        var before = place.Snapshot();
        var projections = OpenForReading().Projections;

        Assert.Empty(await projections.ListAsync(Cancellation));
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => projections["counts"].GetStatusAsync(Cancellation));
        Assert.Equal($"The store in {place.Root} has no projection \"counts\". It has none.", refused.Message);
        Assert.Throws<ArgumentException>(() => projections["../Events"]);
        place.CloseStores();
        Assert.Equal(before, place.Snapshot());
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task Status_and_states_are_read_without_the_projection()
    {
        var writer = place.Open();
        await writer.AppendAsync([Counts.Counted("a"), Counts.Counted("a", "b")], cancellationToken: Cancellation);
        await using (var running = writer.StartProjections([new Counts()], quick))
            await writer.Projections.Get<Count>().WaitForAsync(2, Cancellation);
        await writer.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);

        var projections = OpenForReading().Projections;

        Assert.Equal(["counts"], await projections.ListAsync(Cancellation));
        var status = await projections["counts"].GetStatusAsync(Cancellation);
        Assert.Equal((1, 2L, 3L, 0), (status.Version, status.Position, status.Head, status.OpenRequests));
        Assert.Null(status.Fault);
        Assert.Null(status.RebuildPosition);
        var states = await projections.Get<JsonNode>("counts").ReadAllAsync(Cancellation).ToListAsync();
        Assert.Equal(["a", "b"], states.Select(state => state.Key).Order());
        Assert.Equal("2", (await projections.Get<JsonNode>("counts").GetAsync("a", Cancellation))!["number"]!.ToJsonString());
        Assert.Null(await projections.Get<JsonNode>("counts").GetAsync("c", Cancellation));
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_handle_outlives_a_run_and_is_of_the_next_one()
    {
        var writer = place.Open();
        await writer.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
        IProjectionStore<Count> used, unused;
        await using (writer.StartProjections([new Counts()], quick))
        {
            (used, unused) = (writer.Projections.Get<Count>(), writer.Projections.Get<Count>());
            await used.WaitForAsync(1, Cancellation);
        }

        Assert.Equal(1, (await used.GetAsync("a", Cancellation))!.Number);
        Assert.Equal(1, (await unused.GetAsync("a", Cancellation))!.Number);
        await writer.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
        await using (writer.StartProjections([new Counts()], quick))
        {
            foreach (var handle in (IProjectionStore<Count>[])[used, unused])
            {
                await handle.WaitForAsync(2, Cancellation);
                Assert.Equal(FollowerPhase.Running, (await handle.GetStatusAsync(Cancellation)).Phase);
            }
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_handle_of_states_as_JSON_is_of_the_next_run_too()
    {
        var writer = place.Open();
        var states = writer.Projections.Get<JsonNode>("counts");
        for (var position = 1; position <= 2; position++)
        {
            await using var running = writer.StartProjections([new Counts()], quick);
            await writer.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);

            await states.WaitForAsync(position, Cancellation);

            Assert.Equal(FollowerPhase.Running, (await states.GetStatusAsync(Cancellation)).Phase);
        }
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_request_waits_for_a_leader()
    {
        var writer = place.Open();
        await writer.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
        await using (var running = writer.StartProjections([new Counts()], quick))
            await writer.Projections.Get<Count>().WaitForAsync(1, Cancellation);
        var projections = writer.Projections;

        await projections["counts"].RebuildAsync(wait: false, Cancellation);
        await projections["counts"].RetryAsync(wait: false, Cancellation);
        await Assert.ThrowsAsync<InvalidOperationException>(() => projections["counts"].SkipAsync(1, "It was a mistake.", wait: false, Cancellation));
        await Assert.ThrowsAsync<NotSupportedException>(() => OpenForReading().Projections["counts"].RebuildAsync(wait: false, Cancellation));
        Assert.Equal(2, (await projections["counts"].GetStatusAsync(Cancellation)).OpenRequests);

        await using (var leader = writer.StartProjections([new Counts()], quick))
        {
            // A rebuild that is asked for later ends after the one before it.
            await writer.Projections["counts"].RebuildAsync(cancellationToken: Cancellation);
        }
        Assert.Equal(0, (await projections["counts"].GetStatusAsync(Cancellation)).OpenRequests);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_skip_that_was_requested_while_nobody_led_waits_until_the_next_leader_has_stopped_there_too()
    {
        var writer = place.Open();
        await writer.AppendAsync(Counts.Counted("a"), cancellationToken: Cancellation);
        await using (var running = writer.StartProjections([new FailingAtTwo()], quick))
        {
            await writer.Projections.Get<Count>().WaitForAsync(1, Cancellation);
            await writer.AppendAsync(Counts.Counted("a"), cancellationToken: Cancellation);
            await Assert.ThrowsAsync<ProjectionException>(() => writer.Projections.Get<Count>().WaitForAsync(2, Cancellation));
        }

        await writer.Projections["failing"].SkipAsync(2, "It was a mistake.", wait: false, Cancellation);
        var patient = new ProjectionOptions
        {
            TakeOverInterval = TimeSpan.FromMilliseconds(10),
            PollInterval = TimeSpan.FromMilliseconds(1),
            MaxRetryAttempts = 1,
            RetryDelay = TimeSpan.FromMilliseconds(200),
        };
        await using var next = writer.StartProjections([new FailingAtTwo()], patient);

        while ((await writer.Projections["failing"].GetStatusAsync(Cancellation)).Position < 2)
            await Task.Yield();
        var status = await writer.Projections["failing"].GetStatusAsync(Cancellation);
        Assert.Equal([2L], status.Skipped);
        Assert.Null(status.Fault);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_higher_version_that_has_stopped_keeps_nobody_waiting()
    {
        var writer = place.Open();
        await writer.AppendAsync(Counts.Counted("a"), cancellationToken: Cancellation);
        await using (writer.StartProjections([new FailingAtTwo()], quick))
            await writer.Projections.Get<Count>().WaitForAsync(1, Cancellation);
        await writer.AppendAsync([Counts.Counted("a"), Counts.Counted("a")], cancellationToken: Cancellation);
        await using var running = writer.StartProjections([new FailingAtTwo(version: 2)], quick);

        var reading = OpenForReading().Projections["failing"];
        var stopped = await Assert.ThrowsAsync<ProjectionException>(() => reading.WaitForAsync(3, Cancellation));

        Assert.Equal(2, stopped.Fault!.Position);
    }

    private FileSystemEventStore OpenForReading() => place.Open(options => options.ReadOnly = true);

    private sealed class FailingAtTwo : Projection<Count>
    {
        public FailingAtTwo(int version = 1)
            : base("failing", version) => On("counted", static _ => "a", (count, e) => e.Position == 2
                ? throw new FormatException("This one cannot be counted.")
                : new Count((count?.Number ?? 0) + 1, e.Position));
    }
}
