using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Opossum.Testing;

#pragma warning disable CA1848 // A document shows the short form of logging.

namespace Opossum.DocTests;

public sealed class Occupancy(IEventStore store, ILogger<Occupancy> logger) : BackgroundService
{
    private readonly ConcurrentDictionary<string, int> taken = new();

    public int TakenSeats(string courseId) => taken.GetValueOrDefault(courseId);

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        var last = 0L;
        while (true)
        {
            try
            {
                await foreach (var e in store.SubscribeAsync(Query.For<StudentSubscribed>(), last, stoppingToken))
                {
                    taken.AddOrUpdate(((StudentSubscribed)e.Data!).CourseId, 1, (_, count) => count + 1);
                    last = e.Position;
                }
            }
            catch (StoreIOException e)
            {
                logger.LogWarning(e, "The subscription stopped; it continues after position {Position} in 10 seconds.", last);
                await Task.Delay(TimeSpan.FromSeconds(10), stoppingToken);
            }
        }
    }
}

public sealed class SubscriptionsSnippets : DocumentCode
{
    [Fact(Timeout = 60_000)]
    public async Task What_is_there_and_what_comes()
    {
        var options = new OpossumOptions();
        options.EventTypes.Add<StudentSubscribed>();
        var Console = new PrintedLines();
        await using var store = InMemoryEventStore.Open(options);
        await store.AppendAsync([NewEvent.FromJson("student-subscribed", "{}"), NewEvent.FromJson("student-left", "{}")]);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var cancellationToken = cancellation.Token;
        var following = FollowAsync();
        await store.AppendAsync([NewEvent.FromJson("student-subscribed", "{}")], cancellationToken: cancellationToken);
        Assert.Equal("1 student-subscribed", await Console.NextAsync());
        Assert.Equal("3 student-subscribed", await Console.NextAsync());
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => following);

        async Task FollowAsync()
        {
            await foreach (var e in store.SubscribeAsync(Query.For<StudentSubscribed>(), after: 0, cancellationToken))
                Console.WriteLine($"{e.Position} {e.Type}");
        }
    }

    [Fact(Timeout = 60_000)]
    public async Task Service()
    {
        var builder = Host.CreateApplicationBuilder();
        builder.Services.AddOpossum(options =>
        {
            options.Path = "occupied";
            options.EventTypes.Add<StudentSubscribed>();
        });
        builder.Services.AddSingleton<Occupancy>().AddHostedService(services => services.GetRequiredService<Occupancy>());
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        var store = host.Services.GetRequiredService<IEventStore>();
        await store.AppendAsync([new NewEvent(new StudentSubscribed("c1", "s1")), new NewEvent(new StudentSubscribed("c1", "s2"))], cancellationToken: TestContext.Current.CancellationToken);

        var occupancy = host.Services.GetRequiredService<Occupancy>();
        while (occupancy.TakenSeats("c1") < 2)
            await Task.Yield();
        await host.StopAsync(TestContext.Current.CancellationToken);
        Assert.Equal((2, 0), (occupancy.TakenSeats("c1"), occupancy.TakenSeats("c2")));
    }
}
