using System.Diagnostics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Opossum.DependencyInjection;
using Opossum.Tests.Durability;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.DependencyInjection;

public sealed class AddReactionTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;
    private readonly Deliveries deliveries = new();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private static readonly AsyncLocal<string?> request = new();

    [Fact(Timeout = 60_000)]
    public async Task Events_are_handled_while_the_host_runs_and_the_container_makes_the_reaction()
    {
        using var host = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddReaction<Notices>().AddReaction<Notices>());
        await host.Services.SendAsync("Ulm");
        await host.Services.SendAsync("Bonn");
        Assert.Equal("notices: Ulm", await deliveries.NextAsync());
        Assert.Equal("notices: Bonn", await deliveries.NextAsync());
        await host.StopAsync(Cancellation);
        Assert.Equal(2, deliveries.All.Count);
    }

    [Fact(Timeout = 60_000)]
    public async Task An_event_has_its_own_scope_which_ends_before_the_next_event()
    {
        using var host = await StartAsync(services => services.AddScoped<Van>().AddOpossum(Parcels.In(folder)).AddReaction<Drives>());
        await host.Services.SendAsync("Ulm", 2);
        await host.Services.SendAsync("Bonn", 1);
        await host.Services.SendAsync("Kiel", 2);
        var all = new List<string>();
        while (all.Count < 5)
            all.Add(await deliveries.NextAsync());
        Assert.Equal(["one van to Ulm", "van returned", "on foot to Bonn", "one van to Kiel", "van returned"], all);
    }

    [Fact(Timeout = 60_000)]
    public async Task Services_of_an_event_without_a_host_are_refused_with_a_hint()
    {
        var error = new TaskCompletionSource<Exception>();
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }, Cancellation);
        await using var runner = store.StartReactions([new RecordingReaction(ReactionStart.Head, (context, _) =>
        {
            error.TrySetResult(Assert.Throws<InvalidOperationException>(() => context.Services));
            return Task.CompletedTask;
        })]);
        await store.AppendAsync(RecordingReaction.Placed("a"), cancellationToken: Cancellation);
        Assert.Contains("AddOpossum(...).AddReaction<T>()", (await error.Task).Message, StringComparison.Ordinal);
    }

    [Fact(Timeout = 60_000)]
    public async Task Services_of_an_event_that_is_handled_are_refused()
    {
        var handled = new TaskCompletionSource<ReactionContext>();
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }, Cancellation);
        var reaction = new RecordingReaction(ReactionStart.Head, (context, _) => Task.FromResult(handled.TrySetResult(context)));
        await using (store.StartReactions([reaction]))
        {
            await store.AppendAsync(RecordingReaction.Placed("a"), cancellationToken: Cancellation);
            await reaction.WaitForAsync(1);
        }
        var context = await handled.Task;
        Assert.Throws<ObjectDisposedException>(() => context.Services);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_scoped_service_in_the_constructor_keeps_the_host_from_starting_also_in_production(bool onDemand)
    {
        using var host = new HostBuilder().UseDefaultServiceProvider(options => options.ValidateScopes = false).ConfigureServices(services =>
        {
            services.AddSingleton(deliveries).AddScoped<Van>();
            if (onDemand)
                services.AddOpossumStores(options => options.Root = folder).AddReaction<OneVanForEver>();
            else
                services.AddOpossum(Parcels.In(folder)).AddReaction<OneVanForEver>();
        }).Build();

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync(Cancellation));
        Assert.Equal($"The reaction {typeof(OneVanForEver)} takes {typeof(Van)} in its constructor, which is registered as scoped, but there is one "
            + "reaction for all events. Take it from the event's scope instead: context.Services.GetRequiredService<Van>() in the handler.",
            refusal.Message);
        Assert.Empty(Directory.GetFileSystemEntries(folder));
    }

    [Theory]
    [InlineData("red", ServiceLifetime.Singleton, ServiceLifetime.Scoped, true)]
    [InlineData("red", ServiceLifetime.Scoped, ServiceLifetime.Singleton, false)]
    [InlineData("blue", ServiceLifetime.Singleton, ServiceLifetime.Scoped, true)]
    [InlineData("blue", ServiceLifetime.Scoped, ServiceLifetime.Singleton, false)]
    public async Task A_service_with_a_key_in_the_constructor_is_judged_by_its_own_registration(string key, ServiceLifetime keyed,
        ServiceLifetime other, bool starts)
    {
        using var host = new HostBuilder().UseDefaultServiceProvider(options => options.ValidateScopes = false).ConfigureServices(services =>
        {
            services.AddSingleton(deliveries).Add(new ServiceDescriptor(typeof(Van), typeof(Van), other));
            services.Add(new ServiceDescriptor(typeof(Van), "green", typeof(Van), other));
            services.Add(new ServiceDescriptor(typeof(Van), key == "red" ? key : KeyedService.AnyKey, typeof(Van), keyed));
            services.AddOpossum(Parcels.In(folder)).AddReaction<TheRedVan>();
        }).Build();

        var refusal = await Record.ExceptionAsync(() => host.StartAsync(Cancellation));
        if (starts)
            Assert.Null(refusal);
        else
            Assert.EndsWith("context.Services.GetRequiredKeyedService<Van>(\"red\") in the handler.", refusal!.Message, StringComparison.Ordinal);
        await host.StopAsync(Cancellation);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_handler_uses_the_injected_store_and_the_states_of_projections_from_the_first_event_on()
    {
        using (var first = await StartAsync(services => services.AddOpossum(Parcels.In(folder))))
        {
            await first.Services.SendAsync("Ulm", 10);
            await first.StopAsync(Cancellation);
        }
        using var host = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddReaction<Returns>().AddProjection<TownPosts>());
        Assert.Equal("10 g at Ulm", await deliveries.NextAsync());
        Assert.Equal("10 g at Ulm", await deliveries.NextAsync());
    }

    [Fact(Timeout = 60_000)]
    public async Task Reactions_start_after_all_services_and_handle_what_those_appended_at_their_start()
    {
        using var host = AddOpossumTests.Build(services =>
        {
            services.AddSingleton(deliveries).AddSingleton<Sender>().AddHostedService(provider => provider.GetRequiredService<Sender>());
            services.AddOpossum(Parcels.In(folder)).AddReaction<Notices>();
        });
        await host.StartAsync(Cancellation);
        Assert.Equal("started", await deliveries.NextAsync());
        Assert.Equal("notices: Ulm", await deliveries.NextAsync());
        Assert.Contains("has no reaction", host.Services.GetRequiredService<Sender>().Refusal!.Message, StringComparison.Ordinal);
    }

    [Fact(Timeout = 60_000)]
    public async Task Reactions_stop_before_other_services_and_go_on_after_the_next_start()
    {
        using (var host = AddOpossumTests.Build(services =>
        {
            services.AddSingleton(deliveries).AddSingleton<Sender>().AddHostedService(provider => provider.GetRequiredService<Sender>());
            services.AddOpossum(Parcels.In(folder)).AddReaction<LongDrives>();
        }))
        {
            await host.StartAsync(Cancellation);
            Assert.Equal("started", await deliveries.NextAsync());
            Assert.Equal("attempt 1", await deliveries.NextAsync());
            await host.StopAsync(Cancellation);
            Assert.Equal("turned back", await deliveries.NextAsync());
            Assert.Equal("stopped", await deliveries.NextAsync());
        }
        using var next = await StartAsync(services => services.AddOpossum(Parcels.In(folder)).AddReaction<LongDrives>());
        Assert.Equal("attempt 2", await deliveries.NextAsync());
    }

    [Fact(Timeout = 60_000)]
    public async Task A_keyed_store_has_its_own_reactions()
    {
        using var host = await StartAsync(services => services
            .AddKeyedOpossum("north", Parcels.In(Path.Combine(folder, "north"))).AddReaction<Notices>()
            .Services.AddKeyedOpossum("south", Parcels.In(Path.Combine(folder, "south"))).AddReaction<OtherNotices>());
        await host.Services.SendAsync("Kiel", 10, "north");
        Assert.Equal("notices: Kiel", await deliveries.NextAsync());
        await host.Services.SendAsync("Ulm", 20, "south");
        Assert.Equal("other-notices: Ulm", await deliveries.NextAsync());
        Assert.Equal(["notices"], await host.Services.GetRequiredKeyedService<IFileSystemEventStore>("north").Reactions.ListAsync(Cancellation));
        Assert.Equal(["other-notices"], await host.Services.GetRequiredKeyedService<IFileSystemEventStore>("south").Reactions.ListAsync(Cancellation));
    }

    [Fact(Timeout = 60_000)]
    public async Task Of_two_hosts_one_handles_an_event()
    {
        using var one = await StartAsync(AddQuick);
        using var two = await StartAsync(AddQuick);
        for (var number = 1; number <= 20; number++)
        {
            await (number % 2 == 0 ? one : two).Services.SendAsync($"{number}");
            Assert.Equal($"other-notices: {number}", await deliveries.NextAsync());
        }
        await one.StopAsync(Cancellation);
        await two.Services.SendAsync("Ulm");
        Assert.Equal("other-notices: Ulm", await deliveries.NextAsync());
        await two.StopAsync(Cancellation);
        Assert.Equal(21, deliveries.All.Count);

        void AddQuick(IServiceCollection services)
        {
            services.AddOpossum(Parcels.In(folder)).AddReaction<OtherNotices>();
            services.Configure<OpossumOptions>(options => options.Advanced.SubscriptionPollInterval = TimeSpan.FromMilliseconds(1));
            services.Configure<ReactionOptions>(options => options.TakeOverInterval = TimeSpan.FromMilliseconds(10));
        }
    }

    [Fact]
    public async Task A_reaction_without_a_start_keeps_the_host_from_starting()
    {
        using var host = AddOpossumTests.Build(services => services.AddOpossum(Parcels.In(folder)).AddReaction<Startless>());
        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync(Cancellation));
        Assert.Contains("startless does not say where it starts", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_store_that_is_only_read_keeps_the_host_from_starting()
    {
        using (await StartAsync(services => services.AddOpossum(Parcels.In(folder))))
        {
            using var host = AddOpossumTests.Build(services => services.AddSingleton(deliveries)
                .AddOpossum(Parcels.In(folder)).AddReaction<Notices>().Services.Configure<OpossumOptions>(options => options.ReadOnly = true));
            var refusal = await Assert.ThrowsAsync<NotSupportedException>(() => host.StartAsync(Cancellation));
            Assert.Contains("is open for reading only", refusal.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Options_come_from_a_section_inside_the_stores_and_are_checked_before_anything_is_touched()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Store:Path"] = folder,
            ["Store:Reactions:MaxConcurrency"] = "0",
            ["Store:Reactions:RetryDelay"] = "00:00:03",
        }).Build();
        using var host = AddOpossumTests.Build(services => services.AddSingleton(deliveries)
            .AddOpossum(configuration.GetSection("Store"), options => options.EventTypes.Add<ParcelSent>()).AddReaction<Notices>());
        var refusal = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Cancellation));
        Assert.Equal("ReactionOptions.MaxConcurrency must lie between 1 and 1000, but is 0.", Assert.Single(refusal.Failures));
        Assert.Empty(Directory.GetFileSystemEntries(folder));
    }

    [Fact(Timeout = 60_000)]
    public async Task Stores_on_demand_handle_events_while_they_are_open_and_the_rest_when_they_are_opened_again()
    {
        using var place = await StoresPlace.StartAsync(add: stores =>
        {
            stores.Services.AddSingleton(deliveries);
            stores.AddReaction<OtherNotices>().AddReaction<OtherNotices>();
        });
        var first = await place.UseAsync("acme");
        await first.AppendAsync(new NewEvent(new ParcelSent("Ulm", 1)), cancellationToken: Cancellation);
        Assert.Equal("other-notices: Ulm", await deliveries.NextAsync());
        place.Clock.Advance(TimeSpan.FromMinutes(5));
        await (await place.UseAsync("acme")).AppendAsync(new NewEvent(new ParcelSent("Bonn", 1)), cancellationToken: Cancellation);
        Assert.Equal("other-notices: Bonn", await deliveries.NextAsync());
        Assert.True(await StoresPlace.IsClosedAsync(first));
        await place.StopAsync();
        Assert.Equal(2, deliveries.All.Count);
    }

    [Fact(Timeout = 60_000)]
    public async Task Handlers_have_nothing_of_the_request_that_opened_their_store()
    {
        var seen = new TaskCompletionSource<(string?, Activity?)>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var place = await StoresPlace.StartAsync(add: stores =>
        {
            stores.Services.AddSingleton(deliveries);
            stores.Services.AddSingleton<Func<ReactionContext, Task>>(_ =>
            {
                seen.TrySetResult((request.Value, Activity.Current));
                return Task.CompletedTask;
            });
            stores.AddReaction<Careless>();
        });
        using var activity = new Activity("request").Start();
        request.Value = "request";

        await (await place.UseAsync("acme")).AppendAsync(new NewEvent(new ParcelSent("Ulm", 1)), cancellationToken: Cancellation);

        var (value, current) = await seen.Task;
        Assert.Null(value);
        Assert.NotEqual(activity.TraceId, current?.TraceId);
    }

    [Fact(Timeout = 60_000)]
    public async Task Parked_events_degrade_the_health()
    {
        using var host = await StartAsync(services =>
        {
            services.Configure<ReactionOptions>(options => options.MaxRetryAttempts = 0);
            services.AddOpossum(Parcels.In(folder)).AddReaction<Broken>();
            services.AddHealthChecks().AddOpossum();
        });
        var position = await host.Services.SendAsync("Ulm");
        await host.Services.GetRequiredService<IFileSystemEventStore>().Reactions["broken"].WaitForAsync(position, Cancellation);

        var health = await CheckAsync(host);
        Assert.Equal((HealthStatus.Degraded, "The reaction broken has parked 1 event."), (health.Status, health.Description));
        Assert.Equal(new Dictionary<string, object?>
        {
            ["phase"] = "Running",
            ["position"] = position,
            ["lag"] = 0L,
            ["open"] = 0,
            ["failing"] = 0,
            ["parked"] = 1,
            ["isLeader"] = true,
            ["error"] = null,
        }, ReactionData(health, "broken"));
    }

    [Fact(Timeout = 60_000)]
    public async Task A_halted_reaction_is_unhealthy_and_says_why()
    {
        Directory.CreateDirectory(Path.Combine(folder, "Reactions", "notices", "live.0000000001"));
        using var host = await StartAsync(services =>
        {
            services.AddOpossum(Parcels.In(folder)).AddReaction<Notices>();
            services.AddHealthChecks().AddOpossum();
        });
        HealthReportEntry health;
        do
            health = await CheckAsync(host);
        while (ReactionData(health, "notices")["phase"] is "Starting");
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.Contains("The reaction notices handles nothing: Its checkpoint cannot be read", health.Description, StringComparison.Ordinal);
    }

    [Theory(Timeout = 60_000)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_host_that_waits_no_longer_leaves_a_handler_that_ignores_its_token_and_names_it(bool onDemand)
    {
        var end = new TaskCompletionSource();
        var logs = new Logs();
        using var stop = new CancellationTokenSource();
        var host = await StartAsync(services =>
        {
            services.AddSingleton<Func<ReactionContext, Task>>(_ => end.Task).AddSingleton<ILoggerFactory>(logs);
            if (onDemand)
            {
                services.AddOpossumStores(options =>
                {
                    options.Root = folder;
                    options.Store.EventTypes.Add<ParcelSent>();
                }).AddReaction<Careless>();
            }
            else
            {
                services.AddOpossum(Parcels.In(folder)).AddReaction<Careless>();
            }
        });
        var stores = host.Services.GetService<IEventStores>();
        using var lease = stores is null ? null : await stores.OpenAsync("acme", cancellationToken: Cancellation);
        var store = lease?.Store ?? host.Services.GetRequiredService<IEventStore>();
        await store.AppendAsync(new NewEvent(new ParcelSent("Ulm", 1)), cancellationToken: Cancellation);
        Assert.Equal("begun", await deliveries.NextAsync());
        (onDemand ? ((EventStores)stores!).Stop : host.Services.GetRequiredKeyedService<HostedEventStore>("").Stop).Grace = TimeSpan.Zero;
        var stopped = host.StopAsync(stop.Token);
        Assert.Equal("cancelled", await deliveries.NextAsync());
        await stop.CancelAsync();
        await Record.ExceptionAsync(() => stopped);
        host.Dispose();
        Assert.Contains("the reaction careless is still handling the event at position 1",
            Assert.Single(logs.Lines, static line => line.Id == 44).Text, StringComparison.Ordinal);
        end.SetResult();
    }

    [Theory(Timeout = 60_000)]
    [InlineData("host")]
    [InlineData("runner")]
    [InlineData("store")]
    [InlineData("again")]
    public async Task A_stop_that_would_wait_for_the_handler_it_is_called_from_is_refused(string stopped)
    {
        IHost host = null!;
        host = await StartAsync(services =>
        {
            services.AddSingleton<Func<ReactionContext, Task>>(async _ =>
            {
                await Task.Yield();
                var error = await Record.ExceptionAsync(async () => await (stopped switch
                {
                    "host" => new ValueTask(host.StopAsync()),
                    "runner" => host.Services.GetRequiredKeyedService<HostedEventStore>("").Opening.Reactions!.DisposeAsync(),
                    "again" => new ValueTask(host.Services.GetRequiredService<IFileSystemEventStore>().Reactions["careless"].HandleAgainAsync(0)),
                    _ => host.Services.GetRequiredKeyedService<HostedEventStore>("").Opening.Store.DisposeAsync(),
                }));
                deliveries.Note((error as AggregateException)?.InnerException!.Message ?? error?.Message ?? "stopped");
            });
            services.AddOpossum(Parcels.In(folder)).AddReaction<Careless>();
        });
        await host.Services.SendAsync("Ulm");
        Assert.Equal("begun", await deliveries.NextAsync());
        Assert.Contains("inside of a handler of the reaction careless", await deliveries.NextAsync(), StringComparison.Ordinal);
        await host.StopAsync(Cancellation);
        host.Dispose();
    }

    [Fact(Timeout = 60_000)]
    public async Task What_a_handler_has_started_may_dispose_the_store_once_the_handler_has_returned()
    {
        var disposed = new TaskCompletionSource();
        var returned = new TaskCompletionSource();
        FileSystemEventStore? store = null;
        var reaction = new RecordingReaction(ReactionStart.Head, (_, _) =>
        {
            _ = DisposeAsync();
            return Task.CompletedTask;
        });
        store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }, Cancellation);
        var runner = store.StartReactions([reaction]);
        await store.AppendAsync(RecordingReaction.Placed("a"), cancellationToken: Cancellation);
        await reaction.WaitForAsync(1);
        while ((await store.Reactions["recording"].GetStatusAsync(Cancellation)).Open > 0)
            await Task.Yield();
        returned.SetResult();
        await disposed.Task;

        await Assert.ThrowsAsync<ObjectDisposedException>(() => store.GetHeadAsync(Cancellation));

        async Task DisposeAsync()
        {
            await returned.Task;
            await store!.DisposeAsync();
            disposed.SetResult();
        }
    }

    private static async Task<HealthReportEntry> CheckAsync(IHost host) =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancellation)).Entries["opossum"];

    private static Dictionary<string, object?> ReactionData(HealthReportEntry health, string name) =>
        (Dictionary<string, object?>)((Dictionary<string, object?>)health.Data["reactions"])[name]!;

    private async Task<IHost> StartAsync(Action<IServiceCollection> add)
    {
        var host = AddOpossumTests.Build(services =>
        {
            services.AddSingleton(deliveries);
            add(services);
        });
        await host.StartAsync(Cancellation);
        return host;
    }

    private sealed class Sender(IServiceProvider services, Deliveries deliveries) : IHostedService
    {
        public Exception? Refusal { get; private set; }

        public async Task StartAsync(CancellationToken cancellationToken)
        {
            await services.SendAsync("Ulm");
            var notices = services.GetRequiredService<IFileSystemEventStore>().Reactions["notices"];
            Refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => notices.GetStatusAsync(cancellationToken));
            deliveries.Note("started");
        }

        public Task StopAsync(CancellationToken cancellationToken)
        {
            deliveries.Note("stopped");
            return Task.CompletedTask;
        }
    }
}
