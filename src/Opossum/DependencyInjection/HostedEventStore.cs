using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>A store, and its projections, that a host opens and closes: what is injected as <see cref="IEventStore"/>, before and after the store is open.</summary>
internal sealed class HostedEventStore(StoreRegistration registration, IServiceProvider services) : IEventStore, IHostedLifecycleService, IAsyncDisposable, IDisposable
{
    private volatile FileSystemEventStore? opened;
    private volatile ProjectionRunner? runner;

    public StoreRegistration Registration => registration;

    /// <summary>The open store.</summary>
    /// <exception cref="InvalidOperationException">The host has not started.</exception>
    public FileSystemEventStore Opened => opened ?? throw NotStarted();

    /// <summary>The projections that were added to the store.</summary>
    public IReadOnlyList<Projection> Projections => field ??= [.. services.GetKeyedServices<Projection>(registration.Name)];

    /// <summary>What keeps the projections up to date; null if there are none.</summary>
    /// <exception cref="InvalidOperationException">The host has not started.</exception>
    public ProjectionRunner? Runner => Opened is not null ? runner : null;

    public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null, CancellationToken cancellationToken = default) =>
        opened is null ? Task.FromException<AppendResult>(NotStarted()) : opened.AppendAsync(events, condition, cancellationToken);

    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default) => Opened.ReadAsync(query, options, cancellationToken);

    public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) =>
        opened is null ? Task.FromException<long>(NotStarted()) : opened.GetHeadAsync(cancellationToken);

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
        Opened.SubscribeAsync(query, after, cancellationToken);

    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        // Order matters: every store's options are judged before the first folder is touched.
        RefuseSharedFolders();
        var projections = Projections;
        opened = await FileSystemEventStore.OpenAsync(OptionsOf<OpossumOptions>(registration), cancellationToken).ConfigureAwait(false);
        if (projections.Count > 0)
            runner = opened.StartProjections(projections, OptionsOf<ProjectionOptions>(registration));
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // All other services have stopped by now, so what they appended last is accepted, and is waited for.
    public Task StoppedAsync(CancellationToken cancellationToken) => DisposeAsync().AsTask();

    // Twice when the host stops in order: then, and with the services. Once, with the services, when the start failed.
    // The store stops its projections before it closes.
    public ValueTask DisposeAsync() => opened?.DisposeAsync() ?? ValueTask.CompletedTask;

    public void Dispose() => opened?.Dispose();

    private InvalidOperationException NotStarted() => new(
        $"The host opens {registration} when it starts, and it has not started. Use the store from a hosted service or after host.StartAsync(). Where there is no host, open one with FileSystemEventStore.OpenAsync.");

    private void RefuseSharedFolders()
    {
        var stores = new Dictionary<string, StoreRegistration>(OperatingSystem.IsLinux() ? StringComparer.Ordinal : StringComparer.OrdinalIgnoreCase);
        foreach (var store in services.GetServices<StoreRegistration>())
        {
            var folder = Path.TrimEndingDirectorySeparator(Path.GetFullPath(OptionsOf<OpossumOptions>(store).Path));
            if (!stores.TryAdd(folder, store))
                throw new InvalidOperationException($"OpossumOptions.Path is {folder} for {stores[folder]} and for {store}, but one folder is one store. Give each its own folder, or add one of them only and inject that one in both places.");
        }
    }

    private TOptions OptionsOf<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(StoreRegistration store)
        where TOptions : class => services.GetRequiredService<IOptionsMonitor<TOptions>>().Get(store.Name);
}
