using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Opossum.DependencyInjection;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Storage.Locking;
using Opossum.Tests.Diagnostics;

namespace Opossum.Tests.DependencyInjection;

/// <summary>A hosted store that other folders follow.</summary>
public sealed class HostedReplicaTests : IDisposable
{
    private static readonly ReplicaOptions quick = new() { PollInterval = TimeSpan.FromMilliseconds(1) };

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private string Store => Path.Combine(folder, "shop");

    private string Replica => Path.Combine(folder, "nas");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Store_is_followed_while_the_host_runs_and_the_health_check_says_how_far()
    {
        using var listening = new Listening(Store);
        using var host = Build();
        await host.StartAsync(Cancellation);
        await AppendAsync(host, 3);

        var health = await WaitAsync(host, static data => data["head"] is 3L);

        Assert.Equal(HealthStatus.Healthy, health.Status);
        Assert.Equal((0L, null), (DataOf(health)["lag"], DataOf(health)["problem"]));
        Assert.InRange(Assert.IsType<long>(DataOf(health)["lagSeconds"]), 0, long.MaxValue);
        var lag = Assert.Single(listening.Observe("opossum.replica.lag"));
        Assert.Equal((0.0, Replica), (lag.Value, lag.Attributes["opossum.replica.path"]));
        await host.StopAsync(Cancellation);
        await using var replica = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Replica, ReadOnly = true }, Cancellation);
        var status = (await replica.GetStatusAsync(cancellationToken: Cancellation)).Replica!;
        Assert.Equal((Store, 1, false), (status.Source, status.Term, status.IsFormerStore));
    }

    [Fact]
    public async Task Store_takes_no_appends_once_its_replica_was_promoted_and_does_not_start_again()
    {
        using (var host = Build())
        {
            await host.StartAsync(Cancellation);
            await AppendAsync(host, 2);
            await WaitAsync(host, static data => data["head"] is 2L);

            await StoreReplica.PromoteAsync(Replica, cancellationToken: Cancellation);

            var health = await WaitAsync(host, static data => data["problem"] is not null);
            var error = await Assert.ThrowsAsync<StoreFaultedException>(() => AppendAsync(host, 1));
            Assert.Equal(HealthStatus.Unhealthy, health.Status);
            Assert.Contains("was promoted in its place, in term 2", health.Description, StringComparison.Ordinal);
            Assert.Equal(AppendOutcome.NothingWritten, error.Outcome);
        }

        using var next = Build();
        await Assert.ThrowsAsync<StoreMaintenanceException>(() => next.StartAsync(Cancellation));
    }

    [Fact]
    public async Task Store_that_has_not_met_its_promoted_replica_does_not_start()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store }, Cancellation))
            await store.AppendAsync(Events.Many(2), cancellationToken: Cancellation);
        await StoreReplica.UpdateAsync(Store, Replica, cancellationToken: Cancellation);
        await StoreReplica.PromoteAsync(Replica, cancellationToken: Cancellation);

        using var host = Build();

        await Assert.ThrowsAsync<StoreMaintenanceException>(() => host.StartAsync(Cancellation));
        await Assert.ThrowsAsync<StoreOpenException>(() => FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Store }, Cancellation));
    }

    [Fact]
    public async Task Store_that_is_followed_and_cannot_be_read_is_reported_by_its_opening()
    {
        Directory.CreateDirectory(new StoreLayout(Store).StoreFile);
        using var host = Build();

        await Assert.ThrowsAsync<StoreOpenException>(() => host.StartAsync(Cancellation));
    }

    [Fact]
    public async Task Folder_that_cannot_follow_makes_the_store_unhealthy_and_keeps_no_append()
    {
        await File.WriteAllTextAsync(Replica, "", Cancellation);
        using var host = Build();
        await host.StartAsync(Cancellation);

        await AppendAsync(host, 1);

        var health = await WaitAsync(host, static data => data["problem"] is not null);
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.Contains($"{Replica} does not follow any more: {Replica} is a file", health.Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Silence_of_a_replica_is_unhealthy()
    {
        var clock = new HandDrivenReplicaClock();
        using var host = Build(options => options.TimeProvider = clock);
        await host.StartAsync(Cancellation);
        await WaitAsync(host, static data => data["head"] is 0L);

        var (health, seconds) = CheckWhileHeld(host, clock);

        Assert.True(seconds > 60, $"{seconds} s");
        Assert.InRange(Assert.IsType<long>(DataOf(health)["lagSeconds"]), 60, (long)seconds);
        Assert.Contains($"{Replica} has not seen the store since", health.Description, StringComparison.Ordinal);
    }

    [Fact]
    public void Folder_that_is_added_again_follows_once()
    {
        var services = new ServiceCollection();
        services.AddOpossum().FollowTo(Replica).FollowTo(Replica + Path.DirectorySeparatorChar, quick).FollowTo(Store);
        services.AddKeyedOpossum("other").FollowTo(Replica);
        if (!OperatingSystem.IsLinux())
            services.AddKeyedOpossum("other").FollowTo(Replica.ToUpperInvariant());
        using var provider = services.BuildServiceProvider();

        Assert.Equal([Replica, Store], provider.GetRequiredKeyedService<HostedEventStore>("").Replicas.Select(static each => each.Path));
        Assert.Single(provider.GetRequiredKeyedService<HostedEventStore>("other").Replicas);
    }

    [Fact]
    public async Task Time_lag_of_a_replica_that_sees_the_store_and_lacks_events_grows()
    {
        var clock = new HandDrivenReplicaClock();
        var replica = new HostedReplica(Replica, quick);
        await replica.CheckAsync(Store, clock, Cancellation);
        var begun = replica.FullAt;
        clock.Ahead = TimeSpan.FromMinutes(2);

        replica.Note(Report(head: 1), clock, Store, NullLogger.Instance);
        Assert.Equal(begun, replica.FullAt);
        Assert.True(replica.SeenAt - begun >= clock.Ahead);
        replica.Note(Report(head: 2), clock, Store, NullLogger.Instance);
        Assert.True(replica.FullAt - begun >= clock.Ahead);

        ReplicaReport Report(long head) => new()
        {
            Replica = Replica,
            Source = Store,
            StoreId = Guid.Empty,
            Term = 1,
            Head = head,
            SourceHead = 2,
            Copied = 1,
            Mended = 0,
            At = clock.GetUtcNow(),
        };
    }

    [Fact]
    public async Task Replica_that_looks_seldom_is_not_silent_in_between()
    {
        var clock = new HandDrivenReplicaClock();
        using var host = Build(options => options.TimeProvider = clock, new ReplicaOptions { PollInterval = TimeSpan.FromHours(1) });
        await host.StartAsync(Cancellation);
        await WaitAsync(host, static data => data["head"] is 0L);
        clock.Ahead = TimeSpan.FromMinutes(30);

        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
        clock.Ahead = TimeSpan.FromMinutes(62);
        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public async Task Host_does_not_start_if_keys_are_to_follow_and_lie_elsewhere()
    {
        using var host = Build(options => options.PersonalData.KeysFolder = Path.Combine(folder, "keys"), quick with { IncludeKeys = true });

        var refusal = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Cancellation));

        Assert.Contains("IncludeKeys", refusal.Message, StringComparison.Ordinal);
    }

    private IHost Build(Action<OpossumOptions>? configure = null, ReplicaOptions? replica = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddOpossum(options =>
        {
            options.Path = Store;
            configure?.Invoke(options);
        }).FollowTo(Replica, replica ?? quick);
        builder.Services.AddHealthChecks().AddOpossum();
        return builder.Build();
    }

    // On one thread: who took the lock frees it.
    private (HealthReportEntry Health, double TimeLag) CheckWhileHeld(IHost host, HandDrivenReplicaClock clock)
    {
        using var listening = new Listening(Store);
        using var fileSystem = RealFileSystem.Create();
        using var other = new StoreLock(new StoreFolder(fileSystem, Replica), TimeProvider.System);
        using var held = other.Acquire(TimeSpan.FromMinutes(1), cancellationToken: Cancellation);
        while (true)
        {
            // The step before may have ended after the lock was taken.
            clock.Ahead += TimeSpan.FromMinutes(2);
            var health = CheckAsync(host).GetAwaiter().GetResult();
            if (health.Status == HealthStatus.Unhealthy)
                return (health, Assert.Single(listening.Observe("opossum.replica.time_lag")).Value);
        }
    }

    private static Task<AppendResult> AppendAsync(IHost host, int count) =>
        host.Services.GetRequiredService<IEventStore>().AppendAsync(Events.Many(count), cancellationToken: Cancellation);

    private static async Task<HealthReportEntry> CheckAsync(IHost host) =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancellation)).Entries.Single().Value;

    private static IReadOnlyDictionary<string, object?> DataOf(HealthReportEntry health) =>
        ((IReadOnlyList<IReadOnlyDictionary<string, object?>>)health.Data["replicas"])[0];

    private static async Task<HealthReportEntry> WaitAsync(IHost host, Predicate<IReadOnlyDictionary<string, object?>> isExpected)
    {
        while (true)
        {
            Cancellation.ThrowIfCancellationRequested();
            var health = await CheckAsync(host);
            if (isExpected(DataOf(health)))
                return health;
            await Task.Yield();
        }
    }

    private sealed class HandDrivenReplicaClock : TimeProvider
    {
        public TimeSpan Ahead { get; set; }

        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + Ahead;
    }
}
