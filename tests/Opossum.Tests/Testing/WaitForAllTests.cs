using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Opossum.Testing;
using Opossum.TestingTests.Examples;

namespace Opossum.TestingTests;

public sealed class WaitForAllTests
{
    [Fact]
    public async Task Projections_and_subscriptions_have_seen_all_events()
    {
        await using var store = Open();
        await using var runner = store.StartProjections([new CourseOverviews()]);
        using var stopping = new CancellationTokenSource();
        var seen = new List<long>();
        var following = FollowAsync(store, seen, stopping.Token);

        await store.AppendAsync(new NewEvent(new CourseDefined("c1", 50)));
        for (var i = 0; i < 50; i++)
            await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", $"s{i}")));
        await store.WaitForAllAsync();

        Assert.Equal(51, seen.Count);
        Assert.Equal(0, (await store.Projections.Get<CourseOverview>().GetAsync("c1"))!.Free);
        await stopping.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => following);
    }

    [Fact]
    public async Task A_subscription_that_does_not_request_the_next_event_is_reported_after_the_time()
    {
        await using var store = Open();
        await store.AppendAsync(new NewEvent(new CourseDefined("c1", 1)));
        await using var events = store.SubscribeAsync(Query.All).GetAsyncEnumerator();
        await events.MoveNextAsync();

        var failure = await Assert.ThrowsAsync<TestFailedException>(() => store.WaitForAllAsync(TimeSpan.FromMilliseconds(1)));

        Assert.Contains("has not seen the events up to position 1", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_ended_subscription_is_not_waited_for()
    {
        await using var store = Open();
        await store.AppendAsync(new NewEvent(new CourseDefined("c1", 1)));
        await foreach (var _ in store.SubscribeAsync(Query.All))
            break;

        var waiting = store.WaitForAllAsync();
        await waiting;

        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_store_that_cannot_be_waited_for_is_refused()
    {
        IEventStore wrapped = null!;
        await Scenario.Of(EventTypes.All).When(store => store.ExistsAsync(Query.All).ContinueWith(_ => wrapped = store, TaskScheduler.Default))
            .ThenNothingAsync();

        await Assert.ThrowsAsync<ArgumentException>(() => wrapped.WaitForAllAsync());
    }

    [Fact]
    public async Task The_store_of_a_host_can_be_waited_for()
    {
        var folder = Directory.CreateTempSubdirectory("opossum-");
        try
        {
            var builder = Host.CreateApplicationBuilder();
            builder.Services.AddOpossum(options =>
            {
                options.Path = Path.Combine(folder.FullName, "store");
                options.EventTypes = EventTypes.All;
            }).AddProjection<CourseOverviews>();
            using var host = builder.Build();
            await host.StartAsync();
            var store = host.Services.GetRequiredService<IEventStore>();

            await store.AppendAsync(new NewEvent(new CourseDefined("c1", 2)));
            await store.WaitForAllAsync();

            var status = await host.Services.GetRequiredService<IProjectionStore<CourseOverview>>().GetStatusAsync();
            Assert.Equal((1, 1), (status.Head, status.Position));
            await host.StopAsync();
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static FileSystemEventStore Open() => InMemoryEventStore.Open(new OpossumOptions { EventTypes = EventTypes.All });

    private static async Task FollowAsync(FileSystemEventStore store, List<long> seen, CancellationToken cancellationToken)
    {
        await foreach (var e in store.SubscribeAsync(Query.All, 0, cancellationToken))
        {
            await Task.Yield();
            seen.Add(e.Position);
        }
    }
}
