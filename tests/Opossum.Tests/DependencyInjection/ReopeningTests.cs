using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Opossum.DependencyInjection;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Maintenance;
using Opossum.Tests.Subscriptions;
using static Opossum.Tests.Events;

namespace Opossum.Tests.DependencyInjection;

/// <summary>A host opens a store again that accepts no appends any more. Here the store's folder is moved away for a while.</summary>
public sealed class ReopeningTests : IDisposable
{
    private readonly string parent = Directory.CreateTempSubdirectory("opossum-").FullName;
    private readonly HandDrivenClock clock = new();

    private string Folder => Path.Combine(parent, "store");

    private string Aside => Path.Combine(parent, "aside");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(parent, recursive: true);

    [Fact(Timeout = 60_000)]
    public async Task Whoever_has_the_store_goes_on_with_it_when_it_was_opened_again()
    {
        using var host = await StartAsync();
        var store = host.Services.GetRequiredService<IFileSystemEventStore>();
        await store.AppendAsync(Many(40), cancellationToken: Cancellation);
        await using var subscribed = store.SubscribeAsync(Query.All, after: 40, Cancellation).GetAsyncEnumerator(Cancellation);
        var nextEvent = subscribed.MoveNextAsync().AsTask();
        var stream = store.ReadAsync(Query.All);
        await using var read = stream.GetAsyncEnumerator(Cancellation);
        Assert.True(await read.MoveNextAsync());

        await FaultAsync(store);
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync(host)).Status);
        Directory.Move(Aside, Folder);
        var appended = await AppendWhenOpenAsync(store);

        Assert.Equal(41, appended.LastPosition);
        Assert.True(await nextEvent);
        Assert.Equal(41, subscribed.Current.Position);
        // A read that had begun comes to its end, and the same stream, begun again, sees what came since.
        var positions = new List<long> { read.Current.Position };
        while (await read.MoveNextAsync())
            positions.Add(read.Current.Position);
        Assert.Equal(Enumerable.Range(1, 40).Select(position => (long)position), positions);
        Assert.Equal(41, await stream.CountAsync(Cancellation));
        Assert.Equal((41, 41), (stream.Head, await store.GetHeadAsync(Cancellation)));
        Assert.False((await store.GetStatusAsync(cancellationToken: Cancellation)).IsFaulted);

        var health = await CheckAsync(host);
        Assert.Equal((HealthStatus.Healthy, 1, ""), (health.Status, health.Data["reopened"], health.Data["fault"]));
        Assert.Contains(Folder, (string)health.Data["lastFault"], StringComparison.Ordinal);
        await host.StopAsync(Cancellation);
        Assert.True((await StoreCheck.RunAsync(Folder, cancellationToken: Cancellation)).IsClean);
    }

    [Fact(Timeout = 60_000)]
    public async Task Reactions_that_stand_still_until_the_store_is_opened_again_degrade_the_health()
    {
        using var host = await StartWithNoticesAsync();

        await StopNoticesByFaultAsync(host);

        Assert.Equal(HealthStatus.Degraded, (await CheckAsync(host)).Status);
        Directory.Move(Aside, Folder);
    }

    [Fact(Timeout = 60_000)]
    public async Task Reactions_do_not_start_on_a_store_that_faulted_while_the_host_started()
    {
        var deliveries = new Deliveries();
        using var host = await StartAsync(services =>
        {
            services.AddSingleton(deliveries).AddOpossum(_ => { }).AddReaction<Notices>();
            services.AddHostedService(provider => new Starting(async () =>
            {
                await provider.SendAsync("Ulm");
                await FaultAsync(provider.GetRequiredService<IEventStore>());
            }));
        });

        Assert.Null(host.Services.GetRequiredKeyedService<HostedEventStore>("").Opening.Reactions);
        Directory.Move(Aside, Folder);
        await AppendWhenOpenAsync(host.Services.GetRequiredService<IEventStore>());
        Assert.Equal("notices: Ulm", await deliveries.NextAsync());
    }

    [Fact(Timeout = 60_000)]
    public async Task An_opening_that_was_replaced_and_is_closed_is_released()
    {
        using var host = await StartAsync();
        var hosted = host.Services.GetRequiredKeyedService<HostedEventStore>("");
        await hosted.AppendAsync(Many(2), cancellationToken: Cancellation);
        await using (var read = hosted.ReadAsync(Query.All).GetAsyncEnumerator(Cancellation))
        {
            Assert.True(await read.MoveNextAsync());
            await FaultAsync(hosted);
            Directory.Move(Aside, Folder);
            await AppendWhenOpenAsync(hosted);
            Assert.Equal(2, hosted.Openings.Length);
        }

        while (hosted.Openings.Length > 1)
            await Task.Delay(1, Cancellation);
        Assert.Same(hosted.Opening, hosted.Openings.Single());
    }

    [Theory(Timeout = 60_000)]
    [InlineData(typeof(IEventStore))]
    [InlineData(typeof(IFileSystemEventStore))]
    [InlineData(typeof(IPersonalData))]
    [InlineData(typeof(FileSystemEventStore))]
    public async Task No_service_is_a_store_that_is_closed_when_it_was_opened_again(Type service)
    {
        using var host = await StartAsync();
        var injected = host.Services.GetService(service);
        await FaultAsync(host.Services.GetRequiredService<IEventStore>());
        Directory.Move(Aside, Folder);
        await AppendWhenOpenAsync(host.Services.GetRequiredService<IEventStore>());

        if (injected is IEventStore store)
            Assert.Equal(2, (await store.AppendAsync(New("a"), cancellationToken: Cancellation)).LastPosition);
    }

    [Fact(Timeout = 60_000)]
    public async Task It_is_opened_again_as_often_as_it_fails()
    {
        using var host = await StartAsync();
        var store = host.Services.GetRequiredService<IEventStore>();
        for (var number = 1; number <= 3; number++)
        {
            await FaultAsync(store);
            Directory.Move(Aside, Folder);
            Assert.Equal(number, (await AppendWhenOpenAsync(store)).LastPosition);
        }

        Assert.Equal(3, (await CheckAsync(host)).Data["reopened"]);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_handler_that_does_not_return_keeps_the_store_neither_from_being_opened_again_nor_from_being_closed()
    {
        var deliveries = new Deliveries();
        var end = new TaskCompletionSource();
        using var stop = new CancellationTokenSource();
        var host = await StartAsync(services =>
        {
            services.AddSingleton(deliveries).AddSingleton<Func<ReactionContext, Task>>(_ => end.Task);
            services.AddOpossum(_ => { }).AddReaction<Careless>();
        });
        var store = host.Services.GetRequiredService<IEventStore>();
        await host.Services.SendAsync("Ulm");
        Assert.Equal("begun", await deliveries.NextAsync());
        for (var number = 1; number <= 2; number++)
        {
            await FaultAsync(store);
            Directory.Move(Aside, Folder);
            Assert.Equal(1 + number, (await AppendWhenOpenAsync(store)).LastPosition);
        }

        host.Services.GetRequiredKeyedService<HostedEventStore>("").Stop.Grace = TimeSpan.Zero;
        var stopped = host.StopAsync(stop.Token);
        await stop.CancelAsync();
        await Record.ExceptionAsync(() => stopped);
        while (!await StoresPlace.IsClosedAsync(store))
            await Task.Delay(1, Cancellation);

        end.SetResult();
        host.Dispose();
    }

    [Fact(Timeout = 60_000)]
    public async Task Projections_go_on_and_so_does_whoever_waits_for_their_states()
    {
        using var host = await StartAsync(services => services.AddOpossum(_ => { }).AddProjection<TownPosts>());
        var store = host.Services.GetRequiredService<IEventStore>();
        var posts = host.Services.GetRequiredService<IProjectionStore<TownPost>>();
        var position = await host.Services.SendAsync("Ulm", 10);
        Assert.Equal(new TownPost(1, 10), await PassTimeAsync(posts.PostAsync("Ulm", position)));
        var waiting = posts.PostAsync("Ulm", position + 1);
        var handle = host.Services.GetRequiredService<IFileSystemEventStore>().Projections["town-posts"];
        var waitingByHandle = handle.WaitForAsync(position + 1, Cancellation);

        await FaultAsync(store);
        Directory.Move(Aside, Folder);
        await AppendWhenOpenAsync(store, new NewEvent(new ParcelSent("Ulm", 20)));

        Assert.Equal(new TownPost(2, 30), await PassTimeAsync(waiting));
        await waitingByHandle;
        Assert.Equal(["Ulm"], await posts.ReadAllAsync(Cancellation).Select(post => post.Key).ToListAsync(Cancellation));
        // The opening that was replaced may have led until it was retired.
        while (!(await posts.GetStatusAsync(Cancellation)).IsLeader)
            clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(position + 1, (await posts.GetStatusAsync(Cancellation)).Position);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_wait_for_a_reaction_continues_when_the_store_was_opened_again()
    {
        using var host = await StartWithNoticesAsync();
        var store = host.Services.GetRequiredService<IFileSystemEventStore>();
        var position = await host.Services.SendAsync("Ulm");
        var notices = store.Reactions["other-notices"];
        await notices.WaitForAsync(position, Cancellation);
        var waiting = WaitAsync(notices, position + 1);

        await StopNoticesByFaultAsync(host);
        Directory.Move(Aside, Folder);
        await AppendWhenOpenAsync(store, new NewEvent(new ParcelSent("Bonn", 20)));

        Assert.True(await PassTimeAsync(waiting));
    }

    [Theory(Timeout = 60_000)]
    [InlineData("cancelled")]
    [InlineData("stopped")]
    [InlineData("given up")]
    public async Task A_wait_for_a_reaction_ends_when_it_is_cancelled_or_the_store_is_not_opened_again(string end)
    {
        using var host = await StartWithNoticesAsync();
        using var cancellation = new CancellationTokenSource();
        var store = host.Services.GetRequiredService<IFileSystemEventStore>();
        var position = await host.Services.SendAsync("Ulm");
        var waiting = store.Reactions["other-notices"].WaitForAsync(position + 1, cancellation.Token);
        await StopNoticesByFaultAsync(host);

        await (end switch
        {
            "cancelled" => cancellation.CancelAsync(),
            "stopped" => host.Services.GetRequiredKeyedService<HostedEventStore>("").StoppingAsync(Cancellation),
            _ => GivenUpAsync(host),
        });

        var error = await Record.ExceptionAsync(() => waiting);
        Assert.True(end == "cancelled" ? error is OperationCanceledException : error is ObjectDisposedException, $"{error}");
        Directory.Move(Aside, Folder);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_wait_for_a_reaction_that_never_started_ends_with_the_fault_when_the_store_is_not_opened_again()
    {
        using (var former = await StartWithNoticesAsync())
        {
            await former.Services.SendAsync("Ulm");
            await former.Services.GetRequiredService<IFileSystemEventStore>().Reactions["other-notices"].WaitForAsync(1, Cancellation);
            await former.StopAsync(Cancellation);
        }
        using var host = await StartAsync(services =>
        {
            services.AddSingleton(new Deliveries()).AddOpossum(_ => { }).AddReaction<OtherNotices>();
            services.AddHostedService(provider => new Starting(() => FaultAsync(provider.GetRequiredService<IEventStore>())));
        });
        await GivenUpAsync(host);
        Directory.Move(Aside, Folder);

        var error = await Assert.ThrowsAsync<ObjectDisposedException>(() =>
            host.Services.GetRequiredService<IFileSystemEventStore>().Reactions["other-notices"].WaitForAsync(2, Cancellation));
        Assert.Contains("has faulted", error.Message, StringComparison.Ordinal);
        Assert.NotNull(error.InnerException);
    }

    [Fact(Timeout = 60_000)]
    public async Task After_ten_tries_it_is_given_up_and_nothing_was_created_where_the_store_was()
    {
        using var host = await StartAsync();
        var store = host.Services.GetRequiredService<IEventStore>();
        await FaultAsync(store);

        var health = await GivenUpAsync(host);

        Assert.Contains("10 attempts to open it again have failed", health.Description, StringComparison.Ordinal);
        Assert.Equal((HealthStatus.Unhealthy, 0), (health.Status, health.Data["reopened"]));
        Assert.False(Directory.Exists(Folder));
        Directory.Move(Aside, Folder);
        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync(New("a"), cancellationToken: Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task Another_store_in_its_place_is_not_gone_on_with()
    {
        using var host = await StartAsync();
        var store = host.Services.GetRequiredService<IEventStore>();
        await FaultAsync(store);
        await using (var other = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = Folder }, Cancellation))
            await other.AppendAsync(New("other"), cancellationToken: Cancellation);

        var health = await GivenUpAsync(host);

        Assert.Contains($"{Folder} contains another store.", health.Description, StringComparison.Ordinal);
        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync(New("a"), cancellationToken: Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task An_older_backup_in_its_place_is_not_gone_on_with()
    {
        using var host = await StartAsync();
        var store = host.Services.GetRequiredService<IEventStore>();
        await store.AppendAsync(Many(3), cancellationToken: Cancellation);
        await FaultAsync(store);
        Directory.CreateDirectory(Path.Combine(Folder, "Events", "0000000000"));
        foreach (var file in new[] { "store.json", "Events/0000000000/0000000001.json" })
            File.Copy(Path.Combine(Aside, file), Path.Combine(Folder, file));

        // Its event belongs to an append of three, so it is set aside.
        Assert.Contains($"{Folder} ends with position 0, but had reached 3 before.", (await GivenUpAsync(host)).Description,
            StringComparison.Ordinal);
    }

    [Theory(Timeout = 60_000)]
    [InlineData(1)]
    [InlineData(StoreReopener.MaxAttempts)]
    public async Task A_master_key_that_cannot_be_reached_is_an_attempt_that_failed(int failures)
    {
        var key = new KeyOfAService();
        var options = new OpossumOptions { Path = Folder, PersonalData = { MasterKey = key } };
        await using (var first = await FileSystemEventStore.OpenAsync(options, Cancellation))
            await first.MakeStoreKeyAsync(Cancellation);
        using var host = await StartAsync(services => services.Configure<OpossumOptions>(options => options.PersonalData.MasterKey = key));
        var store = host.Services.GetRequiredService<IEventStore>();
        await FaultAsync(store);
        key.Failures = failures;
        Directory.Move(Aside, Folder);

        if (failures < StoreReopener.MaxAttempts)
        {
            Assert.Equal(1, (await AppendWhenOpenAsync(store)).LastPosition);
        }
        else
        {
            var health = await GivenUpAsync(host);
            Assert.Equal(HealthStatus.Unhealthy, health.Status);
            Assert.Contains("away", health.Description, StringComparison.Ordinal);
        }
        Assert.Equal(0, key.Failures);
        await host.StopAsync(Cancellation);
    }

    [Fact(Timeout = 60_000)]
    public async Task An_append_that_waits_for_the_folder_of_keys_meanwhile_fails_as_any_other()
    {
        var key = MasterKey.Create();
        var options = new OpossumOptions { Path = Folder, PersonalData = { MasterKey = key } };
        await using (var first = await FileSystemEventStore.OpenAsync(options, Cancellation))
            await first.MakeStoreKeyAsync(Cancellation);
        using var host = await StartAsync(services => services.Configure<OpossumOptions>(options => options.PersonalData.MasterKey = key));
        var store = host.Services.GetRequiredService<IEventStore>();
        using var files = RealFileSystem.Create();
        Task<AppendResult> waiting;
        using (var held = files.Open(Path.Combine(Folder, "Keys", ".lock"), FileOpening.Lock)!)
        {
            Assert.True(held.TryLock(LockByte.Offset));
            await FaultAsync(store);
            Directory.Move(Aside, Folder);
            waiting = store.AppendAsync([NewEvent.FromJson("a", "{}", Tag.Pseudonym("k", "v"))], cancellationToken: Cancellation);
            await AppendWhenOpenAsync(store);
        }

        await Assert.ThrowsAsync<StoreFaultedException>(() => waiting);
        await host.StopAsync(Cancellation);
    }

    [Fact(Timeout = 60_000)]
    public async Task Options_that_a_reload_made_wrong_keep_no_store_from_being_opened_again()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection().Build();
        using var host = await StartAsync(services =>
        {
            services.AddSingleton(new Deliveries()).Configure<ReactionOptions>(configuration);
            services.AddOpossum(_ => { }).AddReaction<OtherNotices>();
        });
        configuration[nameof(ReactionOptions.MaxConcurrency)] = "0";
        Assert.IsType<OptionsValidationException>(Record.Exception(configuration.Reload)?.GetBaseException());
        var store = host.Services.GetRequiredService<IEventStore>();
        await FaultAsync(store);
        Directory.Move(Aside, Folder);

        Assert.Equal(1, (await AppendWhenOpenAsync(store)).LastPosition);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_folder_that_is_away_is_unhealthy_as_long_as_no_append_has_met_that()
    {
        using var host = await StartAsync();
        Directory.Move(Folder, Aside);

        var health = await CheckAsync(host);

        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.DoesNotContain("It is being opened again.", health.Description, StringComparison.Ordinal);
        Directory.Move(Aside, Folder);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
    }

    [Fact(Timeout = 60_000)]
    public async Task With_the_option_off_it_stays_faulted()
    {
        using var host = await StartAsync(services => services.Configure<OpossumOptions>(options => options.Advanced.ReopenAfterFault = false));
        var store = host.Services.GetRequiredService<IEventStore>();
        await FaultAsync(store);

        var health = await CheckAsync(host);

        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.StartsWith("The store accepts no appends until it is opened again: ", health.Description, StringComparison.Ordinal);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_host_that_stops_while_it_is_tried_ends_its_subscribers_as_always()
    {
        using var host = await StartAsync();
        var store = host.Services.GetRequiredService<IEventStore>();
        await using var subscribed = store.SubscribeAsync(Query.All, cancellationToken: Cancellation).GetAsyncEnumerator(Cancellation);
        var nextEvent = subscribed.MoveNextAsync().AsTask();
        await FaultAsync(store);

        await host.StopAsync(Cancellation);

        await Assert.ThrowsAsync<ObjectDisposedException>(() => nextEvent);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_subscriber_that_is_cancelled_hears_of_its_own_token()
    {
        using var host = await StartAsync();
        using var cancellation = new CancellationTokenSource();
        await using var subscribed =
            host.Services.GetRequiredService<IEventStore>().SubscribeAsync(Query.All,
                cancellationToken: cancellation.Token).GetAsyncEnumerator(Cancellation);
        var nextEvent = subscribed.MoveNextAsync().AsTask();

        await cancellation.CancelAsync();

        Assert.NotEqual(CancellationToken.None, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => nextEvent)).CancellationToken);
    }

    private sealed class Starting(Func<Task> start) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken) => start();

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    private sealed class KeyOfAService : IMasterKey
    {
        private readonly MasterKey key = MasterKey.Create();

        public int Failures { get; set; }

        public string Id => key.Id;

        public byte[] Wrap(ReadOnlySpan<byte> key) => this.key.Wrap(key);

        public byte[] Unwrap(ReadOnlySpan<byte> wrapped)
        {
            if (Failures == 0)
                return key.Unwrap(wrapped);
            Failures--;
            throw new HttpRequestException("the service is away");
        }
    }

    private async Task<IHost> StartAsync(Action<IServiceCollection>? add = null)
    {
        var host = AddOpossumTests.Build(services =>
        {
            services.AddSingleton<TimeProvider>(clock);
            services.AddOpossum(Parcels.In(Folder));
            services.AddHealthChecks().AddOpossum();
            add?.Invoke(services);
        });
        await host.StartAsync(Cancellation);
        return host;
    }

    private Task<IHost> StartWithNoticesAsync() => StartAsync(static services =>
        services.AddSingleton(new Deliveries()).AddOpossum(_ => { }).AddReaction<OtherNotices>());

    private async Task StopNoticesByFaultAsync(IHost host)
    {
        await FaultAsync(host.Services.GetRequiredService<IEventStore>());
        while (!(await CheckAsync(host)).Description!.Contains("is stopped", StringComparison.Ordinal))
            await Task.Yield();
    }

    private static async Task<bool> WaitAsync(ReactionHandle reaction, long position)
    {
        await reaction.WaitForAsync(position, Cancellation);
        return true;
    }

    private async Task FaultAsync(IEventStore store)
    {
        Directory.Move(Folder, Aside);
        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync(New("lost"), cancellationToken: Cancellation));
    }

    private async Task<AppendResult> AppendWhenOpenAsync(IEventStore store, NewEvent? newEvent = null)
    {
        while (true)
        {
            try
            {
                return await store.AppendAsync(newEvent ?? New("a"), cancellationToken: Cancellation);
            }
            catch (StoreFaultedException)
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                await Task.Yield();
            }
        }
    }

    private async Task<T> PassTimeAsync<T>(Task<T> task)
    {
        while (!task.IsCompleted)
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }
        return await task;
    }

    private async Task<HealthReportEntry> GivenUpAsync(IHost host)
    {
        while (true)
        {
            var health = await CheckAsync(host);
            if (health.Status != HealthStatus.Degraded)
                return health;
            clock.Advance(TimeSpan.FromSeconds(10));
        }
    }

    private static async Task<HealthReportEntry> CheckAsync(IHost host) =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancellation)).Entries["opossum"];
}
