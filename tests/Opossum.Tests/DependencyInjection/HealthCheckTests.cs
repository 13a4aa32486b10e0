using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Opossum.DependencyInjection;
using Opossum.Testing.Simulated;
using Opossum.Tests.Subscriptions;

namespace Opossum.Tests.DependencyInjection;

public sealed class HealthCheckTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task A_store_that_is_open_is_healthy_until_the_host_stops()
    {
        using var host = Build(services => services.AddOpossum(Parcels.In(folder)));
        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync(host)).Status);

        await host.StartAsync(Cancellation);
        var position = await host.Services.SendAsync("Ulm");
        var health = await CheckAsync(host);
        Assert.Equal((HealthStatus.Healthy, $"The store is at position {position}."), (health.Status, health.Description));
        Assert.Equal(position, health.Data["head"]);
        Assert.Equal((folder, false, ""), (health.Data["path"], health.Data["isReadOnly"], health.Data["fault"]));

        await host.StopAsync(Cancellation);
        var closed = await CheckAsync(host);
        Assert.Equal(HealthStatus.Unhealthy, closed.Status);
        Assert.IsType<ObjectDisposedException>(closed.Exception);
    }

    [Fact]
    public async Task A_store_that_is_open_for_reading_only_is_healthy()
    {
        await using (var writer = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }, Cancellation))
            await writer.AppendAsync(Events.Many(3), cancellationToken: Cancellation);
        using var host = Build(services => services.AddOpossum(options => (options.Path, options.ReadOnly) = (folder, true)));
        await host.StartAsync(Cancellation);

        var health = await CheckAsync(host);
        Assert.Equal((HealthStatus.Healthy, "The store is at position 3."), (health.Status, health.Description));
    }

    [Fact]
    public async Task A_witness_without_the_last_checkpoint_degrades_the_store()
    {
        using var key = ProofKey.Create("shop.example");
        var clock = new HandDrivenClock();
        using var host = Build(services => services.AddOpossum(options =>
        {
            options.Path = Path.Combine(folder, "store");
            options.TimeProvider = clock;
            options.Proof = new ProofOptions { Key = key, Witnesses = { Path.Combine(folder, "gone") } };
        }));
        await host.StartAsync(Cancellation);
        await host.Services.GetRequiredService<IEventStore>().AppendAsync(Events.Many(3), cancellationToken: Cancellation);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);

        clock.Advance(TimeSpan.FromHours(1));

        var health = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, health.Status);
        Assert.StartsWith($"The witness {Path.Combine(folder, "gone")} did not receive the last checkpoint: ", health.Description, StringComparison.Ordinal);
        var proof = (IReadOnlyDictionary<string, object?>)health.Data["proof"];
        Assert.Equal((3L, null), (proof["checkpointPosition"], proof["problem"]));
    }

    [Fact]
    public async Task Tag_rules_that_do_not_count_degrade_the_store()
    {
        using var host = Build(services => services.AddOpossum(Parcels.In(folder)));
        await host.StartAsync(Cancellation);
        Assert.Equal("", (await CheckAsync(host)).Data["tagRulesProblem"]);
        Directory.CreateDirectory(Path.Combine(folder, "Rules"));
        await File.WriteAllTextAsync(Path.Combine(folder, "Rules", "mine.json"),
            """{ "type": "parcel-sent", "member": "town", "key": "town" }""", Cancellation);

        var health = await CheckAsync(host);

        Assert.Equal(HealthStatus.Degraded, health.Status);
        Assert.Contains("has other tag rules than those by which events are found", health.Description, StringComparison.Ordinal);
        Assert.Equal(health.Description, health.Data["tagRulesProblem"]);
    }

    [Fact]
    public async Task A_running_projection_is_healthy_and_tells_where_it_is()
    {
        using var host = Build(services => services.AddOpossum(Parcels.In(folder)).AddProjection<TownPosts>());
        await host.StartAsync(Cancellation);
        var position = await host.Services.SendAsync("Ulm");
        await host.Services.GetRequiredService<IProjectionStore<TownPost>>().WaitForAsync(position, Cancellation);

        var health = await CheckAsync(host);
        Assert.Equal(HealthStatus.Healthy, health.Status);
        Assert.Equal(
            new Dictionary<string, object?>
            {
                ["phase"] = "Running",
                ["position"] = position,
                ["lag"] = 0L,
                ["version"] = 1,
                ["isLeader"] = true,
                ["error"] = null,
            },
            ProjectionData(health, "town-posts"));
    }

    [Fact]
    public async Task A_projection_that_is_being_built_degrades_the_health()
    {
        // The event is there before the projection is, so that building the states meets it.
        long position;
        using (var before = Build(services => services.AddOpossum(Parcels.In(folder))))
        {
            await before.StartAsync(Cancellation);
            position = await before.Services.SendAsync("Ulm");
        }
        var gate = new Gate();
        using var host = Build(services => services.AddSingleton(gate).AddOpossum(Parcels.In(folder)).AddProjection<GatedTownPosts>());
        using var opening = gate;
        await host.StartAsync(Cancellation);
        await gate.Reached.WaitAsync(Cancellation);

        var health = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, health.Status);
        Assert.Contains("gated-town-posts", health.Description, StringComparison.Ordinal);
        Assert.Equal(position, ProjectionData(health, "gated-town-posts")["lag"]);

        gate.Open();
        await host.Services.GetRequiredService<IProjectionStore<TownPost>>().WaitForAsync(position, Cancellation);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public async Task A_projection_that_has_stopped_is_unhealthy_and_says_at_which_event_and_why()
    {
        using var host = Build(services => services
            .AddOpossum(Parcels.In(folder))
            .AddProjection<TownPosts>()
            .AddProjection<FailingTownPosts>()
            .Services.Configure<ProjectionOptions>(options => options.MaxRetryAttempts = 0));
        await host.StartAsync(Cancellation);
        var position = await host.Services.SendAsync("Ulm");
        await host.Services.GetRequiredKeyedService<IProjectionStore<TownPost>>("town-posts").WaitForAsync(position, Cancellation);
        var fault =
            await Assert.ThrowsAsync<ProjectionException>(
                async () =>
                    await host.Services.GetRequiredKeyedService<IProjectionStore<TownPost>>("failing-town-posts").WaitForAsync(position,
                        Cancellation));
        Assert.Contains("on purpose", fault.Message, StringComparison.Ordinal);

        var health = await CheckAsync(host);
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.StartsWith($"The projection failing-town-posts has stopped at position {position}: ", health.Description, StringComparison.Ordinal);
        Assert.Equal("Halted", ProjectionData(health, "failing-town-posts")["phase"]);
        Assert.Contains("on purpose", (string)ProjectionData(health, "failing-town-posts")["error"]!, StringComparison.Ordinal);
        Assert.Equal("Running", ProjectionData(health, "town-posts")["phase"]);
    }

    [Fact]
    public async Task A_store_that_takes_no_appends_any_more_is_unhealthy()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        await using var store = FileSystemEventStore.Open(new OpossumOptions(), disk.Attach(), "/store", create: true);
        disk.Fail(new Fault { When = operation => operation.Kind == OperationKind.Flush });
        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync(Events.New("parcel-sent"),
            cancellationToken: Cancellation));

        var health = await StoreHealth.JudgeAsync(store, runner: null, HealthStatus.Unhealthy, Cancellation);
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.StartsWith("The store accepts no appends until it is opened again: ", health.Description, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(FollowerPhase.Running, HealthStatus.Healthy, "The store is at position 12.")]
    [InlineData(FollowerPhase.Starting, HealthStatus.Degraded, "The projection town-posts is starting.")]
    [InlineData(FollowerPhase.Rebuilding, HealthStatus.Degraded, "The projection town-posts is being built: 7 of 12.")]
    [InlineData(FollowerPhase.Superseded, HealthStatus.Degraded,
        "The projection town-posts was built in a higher version than 3, the version of this process; update this process, "
            + "or, after a rollback, raise its version.")]
    [InlineData(FollowerPhase.NotRunHere, HealthStatus.Unhealthy, "The projection town-posts is stopped.")]
    public void Each_phase_has_its_health(FollowerPhase phase, HealthStatus expected, string description)
    {
        var health = new StoreHealth(HealthStatus.Unhealthy, Store);
        health.Judge(Status with { Phase = phase, RebuildPosition = 7 });

        Assert.Equal((expected, description), (health.Result.Status, health.Result.Description));
    }

    [Fact]
    public void A_version_that_waits_for_processes_of_another_to_end_is_not_said_to_be_built()
    {
        var health = new StoreHealth(HealthStatus.Unhealthy, Store);
        health.Judge(Status with { Phase = FollowerPhase.Rebuilding, RebuildPosition = null, IsLeader = false });

        Assert.Equal("The projection town-posts is not being built yet: a process builds version 3 once those of other versions have ended.",
            health.Result.Description);
    }

    [Fact]
    public void What_keeps_a_projection_from_going_on_degrades_the_health()
    {
        var health = new StoreHealth(HealthStatus.Unhealthy, Store);
        health.Judge(Status with
        {
            Problem = new FollowerProblem
            {
                Error = "The disk is full.",
                Since = DateTimeOffset.UnixEpoch,
            }
        });

        Assert.Equal((HealthStatus.Degraded, "The projection town-posts cannot continue for now: The disk is full."),
            (health.Result.Status, health.Result.Description));
        Assert.Equal("The disk is full.", ProjectionData(health.Result.Data, "town-posts")["error"]);
    }

    [Fact]
    public void The_worst_counts_and_all_is_told()
    {
        var health = new StoreHealth(HealthStatus.Unhealthy, Store);
        health.Judge(Status with { Name = "a", Phase = FollowerPhase.NotRunHere });
        health.Judge(Status with { Name = "b", Phase = FollowerPhase.Starting });
        health.Judge(Status with { Name = "c" });

        Assert.Equal((HealthStatus.Unhealthy, "The projection a is stopped. The projection b is starting."),
            (health.Result.Status, health.Result.Description));
    }

    [Fact]
    public async Task Each_store_has_a_check_of_its_own_with_a_name_a_status_and_tags_of_choice()
    {
        using var host = AddOpossumTests.Build(services => services
            .AddOpossum(Parcels.In(Path.Combine(folder, "plain")))
            .Services.AddKeyedOpossum("orders", Parcels.In(Path.Combine(folder, "orders")))
            .Services.AddHealthChecks()
            .AddOpossum()
            .AddOpossum("orders", "orders-store", HealthStatus.Degraded, ["ready"])
            .AddOpossum("stock", "stock-store"));
        await host.StartAsync(Cancellation);
        await host.Services.SendAsync("Ulm", store: "orders");
        await host.Services.GetRequiredKeyedService<HostedEventStore>("orders").Opening.Store.DisposeAsync();

        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancellation);
        Assert.Equal(HealthStatus.Healthy, report.Entries["opossum"].Status);
        Assert.Equal(HealthStatus.Degraded, report.Entries["orders-store"].Status);
        Assert.Equal(["ready"], report.Entries["orders-store"].Tags);
        Assert.Contains("the store with the key \"stock\", which was not added", report.Entries["stock-store"].Exception!.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Checks_of_several_stores_have_different_names_unless_they_are_given_one()
    {
        using var host = AddOpossumTests.Build(services => services
            .AddOpossum(Parcels.In(Path.Combine(folder, "plain")))
            .Services.AddKeyedOpossum("orders", Parcels.In(Path.Combine(folder, "orders")))
            .Services.AddHealthChecks().AddOpossum().AddOpossum("orders"));
        await host.StartAsync(Cancellation);

        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancellation);

        Assert.Equal(["opossum", "opossum-orders"], report.Entries.Keys.Order(StringComparer.Ordinal));
    }

    private static StoreStatus Store => new()
    {
        Id = Guid.Empty,
        Path = "/store",
        Head = 12,
        EventTypes = [],
        EventTypesTotal = 0,
        TagKeys = [],
        TagKeysTotal = 0,
        IsReadOnly = false,
        FileSystem = "ext4",
        IsNetwork = false,
        Flush = FlushMethod.LastFile,
    };

    private static ProjectionStatus Status =>
        new()
        {
            Name = "town-posts",
            Version = 3,
            Phase = FollowerPhase.Running,
            Position = 12,
            Head = 12,
            IsLeader = true,
            Skipped = [],
            OpenRequests = 0,
        };

    private static IHost Build(Action<IServiceCollection> add) => AddOpossumTests.Build(services =>
    {
        add(services);
        services.AddHealthChecks().AddOpossum();
    });

    private static async Task<HealthReportEntry> CheckAsync(IHost host) =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancellation)).Entries["opossum"];

    private static IReadOnlyDictionary<string, object?> ProjectionData(HealthReportEntry health, string name) => ProjectionData(health.Data, name);

    private static IReadOnlyDictionary<string, object?> ProjectionData(IReadOnlyDictionary<string, object> data, string name) =>
        Assert.IsAssignableFrom<IReadOnlyDictionary<string, object?>>(Assert.IsAssignableFrom<IReadOnlyDictionary<string,
            object?>>(data["projections"])[name]);

    /// <summary>Holds whoever applies an event until it is opened.</summary>
    private sealed class Gate : IDisposable
    {
        private readonly ManualResetEventSlim opened = new();

        public SemaphoreSlim Reached { get; } = new(0);

        public void Pass()
        {
            Reached.Release();
            opened.Wait();
        }

        public void Open() => opened.Set();

        public void Dispose()
        {
            opened.Set();
            Reached.Dispose();
        }
    }

    private sealed class GatedTownPosts : Projection<TownPost>
    {
        public GatedTownPosts(Gate gate)
            : base("gated-town-posts") => On<ParcelSent>(e => e.Town, (_, e) =>
            {
                gate.Pass();
                return new TownPost(1, e.Grams);
            });
    }

    private sealed class FailingTownPosts : Projection<TownPost>
    {
        public FailingTownPosts()
            : base("failing-town-posts") => On<ParcelSent>(e => e.Town, (_, _) => throw new NotSupportedException("on purpose"));
    }
}
