using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Opossum.Tests.Subscriptions;

namespace Opossum.Tests.DependencyInjection;

/// <summary>A host with stores on demand below a temporary root, whose time a test moves.</summary>
internal sealed class StoresPlace : IDisposable
{
    private readonly IHost host;

    private StoresPlace(IHost host, string root, HandDrivenClock clock)
    {
        this.host = host;
        Root = root;
        Clock = clock;
        Stores = host.Services.GetRequiredService<IEventStores>();
    }

    public string Root { get; }

    public HandDrivenClock Clock { get; }

    public IEventStores Stores { get; }

    /// <summary>Until a test sets it, or ends, the handlers of a careless place do not return.</summary>
    public TaskCompletionSource End { get; private init; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public static async Task<StoresPlace> StartAsync(Action<OpossumStoresOptions>? configure = null, Action<OpossumBuilder>? add = null)
    {
        var root = Directory.CreateTempSubdirectory("opossum-").FullName;
        var clock = new HandDrivenClock();
        var host = AddOpossumTests.Build(services =>
        {
            services.AddSingleton<TimeProvider>(clock);
            var stores = services.AddOpossumStores(options =>
            {
                options.Root = root;
                options.Store.EventTypes.Add<ParcelSent>();
                configure?.Invoke(options);
            });
            services.AddHealthChecks().AddOpossumStores();
            add?.Invoke(stores);
        });
        await host.StartAsync(Cancellation);
        return new StoresPlace(host, root, clock);
    }

    /// <summary>The same with a reaction whose handlers do not return.</summary>
    public static async Task<StoresPlace> StartCarelessAsync(Deliveries deliveries, Action<OpossumStoresOptions>? configure = null)
    {
        var end = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var place = await StartAsync(configure, stores =>
        {
            stores.Services.AddSingleton(deliveries).AddSingleton<Func<ReactionContext, Task>>(_ => end.Task);
            stores.AddReaction<Careless>();
        });
        return new StoresPlace(place.host, place.Root, place.Clock) { End = end };
    }

    public string PathOf(string name) => Path.Combine(Root, name);

    public Task<EventStoreHandle> OpenAsync(string name, bool? create = null) => Stores.OpenAsync(name, create, Cancellation);

    /// <summary>Leases a store, returns it, and gives the store that the lease had.</summary>
    public async Task<IEventStore> UseAsync(string name)
    {
        using var lease = await OpenAsync(name);
        return lease.Store;
    }

    public async Task<HealthReportEntry> CheckAsync() =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancellation)).Entries["opossum-stores"];

    public Task StopAsync() => host.StopAsync(Cancellation);

    /// <summary>Whether a store that had been leased is closed.</summary>
    public static async Task<bool> IsClosedAsync(IEventStore store)
    {
        try
        {
            await store.GetHeadAsync(Cancellation);
            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }

    public void Dispose()
    {
        End.TrySetResult();
        host.Dispose();
        Directory.Delete(Root, recursive: true);
    }
}
