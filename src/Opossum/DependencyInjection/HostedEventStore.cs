using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Opossum.Diagnostics;
using Opossum.Following;
using Opossum.Maintenance;
using Opossum.Personal;
using Opossum.Reactions.Reading;
using Opossum.Serialization;

namespace Opossum.DependencyInjection;

/// <summary>
/// A store with its projections and reactions that a host opens and closes. It is injected as <see cref="IEventStore"/>, even before the store is open.
/// When the store accepts no more appends, the host opens it again, and this object continues with the new opening.
/// </summary>
internal sealed class HostedEventStore(StoreRegistration registration, IServiceProvider services)
    : IFileSystemEventStore, IPersonalData, IIdSearch, ISchemaSource, IHostedLifecycleService, IAsyncDisposable, IDisposable
{
    private readonly CancellationTokenSource stopping = new();
    private readonly Lock gate = new();
    private readonly List<HostedOpening> openings = [];
    private readonly Signal turned = new();
    private volatile HostedOpening? opening;
    private ILogger logger = NullLogger.Instance;
    // The services may be gone when the host stops.
    private string path = "";
    // As they were at the start: what a reload has made of them since keeps no store from being opened again. Null: there is none of the kind.
    private ProjectionOptions? projectionOptions;
    private ReactionOptions? reactionOptions;
    private StoreReopener? reopener;
    private Task reopening = Task.CompletedTask;
    private Task retiring = Task.CompletedTask;
    private Task following = Task.CompletedTask;
    private Task? disposal;
    private volatile bool runsReactions;

    /// <summary>Whether two paths are those of one folder, by their texts: Windows and macOS mostly ignore case.</summary>
    public static StringComparer FolderComparer { get; } = OperatingSystem.IsLinux() ? StringComparer.Ordinal : StringComparer.OrdinalIgnoreCase;

    public StoreRegistration Registration => registration;

    /// <summary>How it waits when the host stops.</summary>
    public HostedStop Stop { get; } = new();

    /// <summary>The current opening of the store.</summary>
    /// <exception cref="InvalidOperationException">The host has not started.</exception>
    public HostedOpening Opening => opening ?? throw NotStarted();

    /// <summary>The current opening, and the former ones that are not closed yet.</summary>
    public HostedOpening[] Openings
    {
        get
        {
            lock (gate)
                return [.. openings];
        }
    }

    /// <summary>The state of the reopening; null when the store is not opened again after a fault.</summary>
    public HostedReopening? Reopening => reopener?.State;

    public ProjectionCollection Projections => field ??= new ProjectionCollection(new(() => Use(static store => store.OpenProjections)));

    public ReactionCollection Reactions => field ??=
        new ReactionCollection(new(() => Use(static store => store.OpenReactions), IsReplacedAsync));

    /// <summary>The folders that follow the store.</summary>
    public IReadOnlyList<HostedReplica> Replicas => field ??= [.. services.GetKeyedServices<HostedReplica>(registration.Name)];

    public IReadOnlyList<Projection> AddedProjections => field ??= [.. services.GetKeyedServices<Projection>(registration.Name)];

    public IReadOnlyList<Reaction> AddedReactions => field ??= HostedReactions.Create(services, registration.Name);

    public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default) =>
        UseAsync(used => used.Store.AppendAsync(events, condition, cancellationToken));

    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default)
    {
        return new HostedEventStream(Begin, Opening.Store.ReadAsync(query, options, cancellationToken));

        (HostedOpening, EventStream) Begin()
        {
            var used = Use();
            return (used, used.Store.ReadAsync(query, options, cancellationToken));
        }
    }

    public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) =>
        UseAsync(used => used.Store.GetHeadAsync(cancellationToken));

    public Task<SequencedEvent?> FindByIdAsync(Guid id, CancellationToken cancellationToken) =>
        UseAsync(used => used.Store.FindAsync(id, cancellationToken));

    IReadOnlyList<EventSchema> ISchemaSource.ReadSchemas()
    {
        var used = Use();
        try
        {
            return ((ISchemaSource)used.Store).ReadSchemas();
        }
        finally
        {
            used.EndUse();
        }
    }

    public Task<StoreStatus> GetStatusAsync(bool withSizes = false, CancellationToken cancellationToken = default) =>
        UseAsync(used => used.Store.GetStatusAsync(withSizes, cancellationToken));

    public Task<ForgetResult> ForgetAsync(Tag subject, string reason, CancellationToken cancellationToken = default) =>
        UseAsync(used => used.Store.ForgetAsync(subject, reason, cancellationToken));

    public Task<PersonalDataSearchReport> FindInPlainAsync(Tag subject, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        UseAsync(used => used.Store.FindInPlainAsync(subject, progress, cancellationToken));

    public Task<string> MakeStoreKeyAsync(CancellationToken cancellationToken = default) =>
        UseAsync(used => used.Store.MakeStoreKeyAsync(cancellationToken));

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default)
    {
        // Invalid arguments throw at once, not at the first event.
        _ = Opening.Store.SubscribeAsync(query, after, cancellationToken);
        return FollowAsync(query, after, cancellationToken);
    }

    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        // The options of every store are checked before the first folder is touched.
        RefuseSharedFolders();
        projectionOptions = AddedProjections.Count > 0 ? OptionsOf<ProjectionOptions>(registration) : null;
        reactionOptions = AddedReactions.Count > 0 ? OptionsOf<ReactionOptions>(registration) : null;
        var options = OptionsOf<OpossumOptions>(registration);
        path = options.Path;
        // Before the store is open: a replica that was promoted since is the store.
        foreach (var replica in Replicas)
            await replica.CheckAsync(path, options.TimeProvider, cancellationToken).ConfigureAwait(false);
        var opened = await FileSystemEventStore.OpenAsync(options, cancellationToken).ConfigureAwait(false);
        logger = new CarefulLogger((options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger("Opossum"));
        await BeginAsync(opened).ConfigureAwait(false);
        following = Task.WhenAll(Replicas.Select(replica => replica.FollowAsync(path, logger, options.TimeProvider, stopping.Token)));
        if (options.ReadOnly || !options.Advanced.ReopenAfterFault)
            return;
        reopener = new StoreReopener(options, logger);
        reopening = Task.Run(() => ReopenAsync(reopener, stopping.Token), CancellationToken.None);
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // All other services have started by now, so handlers can use them.
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        lock (gate)
        {
            runsReactions = true;
            StartReactions(Opening);
        }
        return Task.CompletedTask;
    }

    // No other service has stopped yet, so handlers can use them until they return.
    public async Task StoppingAsync(CancellationToken cancellationToken)
    {
        lock (gate)
            runsReactions = false;
        turned.Pulse();
        var all = Openings;
        ThrowIfInsideHandler(all);
        await WaitAsync(Task.WhenAll(all.Select(static each => each.StopReactionsAsync().AsTask())), all, cancellationToken).ConfigureAwait(false);
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // All other services have stopped by now, so their last appends were accepted and complete here.
    public Task StoppedAsync(CancellationToken cancellationToken)
    {
        var all = Openings;
        return WaitAsync(CloseOnceAsync(all), all, cancellationToken);
    }

    // Called twice when the host stops in order: at the stop, and with the services. Called once, with the services, when the start failed.
    // The store stops its projections before it closes.
    public ValueTask DisposeAsync()
    {
        var closing = CloseOnceAsync(Openings);
        return Stop.HasGivenUp ? ValueTask.CompletedTask : new ValueTask(closing);
    }

    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <summary>The current opening of the store, which stays open until its use ends.</summary>
    /// <exception cref="InvalidOperationException">The host has not started.</exception>
    public HostedOpening Use()
    {
        while (true)
        {
            var current = Opening;
            if (current.TryUse())
                return current;
        }
    }

    /// <summary>Uses the current opening until the task ends. What is not allowed throws at once.</summary>
    public Task<T> UseAsync<T>(Func<HostedOpening, Task<T>> use)
    {
        if (opening is null)
            return Task.FromException<T>(NotStarted());
        var used = Use();
        try
        {
            return EndUseAfterAsync(use(used), used);
        }
        catch
        {
            used.EndUse();
            throw;
        }
    }

    private (T Opening, Action EndUse) Use<T>(Func<FileSystemEventStore, T> open)
    {
        var used = Use();
        return (open(used.Store), used.EndUse);
    }

    // An append may wait for the folder of keys before the store has it.
    private static async Task<T> EndUseAfterAsync<T>(Task<T> task, HostedOpening used)
    {
        try
        {
            return await task.ConfigureAwait(false);
        }
        finally
        {
            used.EndUse();
        }
    }

    private async Task BeginAsync(FileSystemEventStore opened)
    {
        try
        {
            opened.FindReplicas = head => FindReplicas(head, opened.Now);
            opened.ThrowIfGivenUp = name => ThrowIfGivenUp(opened, name);
            var runner = projectionOptions is null ? null : opened.RunProjections(AddedProjections, projectionOptions);
            if (reactionOptions is not null)
                opened.CheckReactions(AddedReactions);
            // A reaction that could not start on the former opening handles what was appended on it too.
            var begun = new HostedOpening(opened, runner, logger, opening?.Head ?? opened.KnownHead, Release);
            lock (gate)
            {
                openings.Add(begun);
                // A handler that uses the injected store finds the opening on which it runs.
                opening = begun;
                if (runsReactions)
                    StartReactions(begun);
            }
            turned.Pulse();
        }
        catch
        {
            await opened.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private void Release(HostedOpening closed)
    {
        lock (gate)
            openings.Remove(closed);
    }

    private IReadOnlyList<ReplicaFigures> FindReplicas(long head, DateTimeOffset now) =>
        [.. Replicas.Select(each =>
            new ReplicaFigures(each.Path, each.Last is { } last ? Math.Max(0, head - last.Head) : null, now - each.FullAt))];

    // Under the gate. What handlers append to a faulted opening would fail, and count as attempts: the next opening starts them.
    private void StartReactions(HostedOpening current)
    {
        var isBeingReplaced = reopener is not null && current.Store.Faulted.IsCompleted;
        if (reactionOptions is not null && !isBeingReplaced)
            current.StartReactions(AddedReactions, reactionOptions, services.GetRequiredService<IServiceScopeFactory>());
    }

    private void ThrowIfGivenUp(FileSystemEventStore faulted, string reaction)
    {
        if (Reopening is { IsGivenUp: true } && faulted.FindTrouble() is { } trouble && AddedReactions.Any(each => each.Name == reaction))
        {
            throw new ObjectDisposedException($"The reaction {reaction} does not run in this process: its store has faulted, and was not opened "
                + $"again. {trouble.Message}", trouble);
        }
    }

    private async Task ReopenAsync(StoreReopener reopener, CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                var faulted = Opening;
                await faulted.Store.Faulted.WaitAsync(cancellationToken).ConfigureAwait(false);
                // A handler that takes long delays no reopening.
                _ = StartedReactionsOf(faulted)?.StopAsync().AsTask();
                // A caller that finds the former opening closed finds the new one in its place.
                if (!await reopener.ReopenAsync(faulted.Store, BeginAsync, cancellationToken).ConfigureAwait(false))
                    return;
                // A handler of the former opening that takes long keeps the next fault from nothing.
                retiring = Task.WhenAll(retiring, faulted.RetireAsync());
            }
        }
        catch (Exception) when (cancellationToken.IsCancellationRequested)
        {
            // The host is stopping.
        }
    }

    // The gate waits for a start that has begun; a later one finds the fault.
    private FollowerRunner? StartedReactionsOf(HostedOpening faulted)
    {
        lock (gate)
            return faulted.Reactions;
    }

    // A fault stops the reactions, and the next opening continues them.
    private async Task<bool> IsReplacedAsync(Opening<ReactionReader> former)
    {
        while (true)
        {
            // The signal is taken first.
            var turn = turned.Next;
            var present = Opening.Store;
            if (present.OpenReactions != former)
                return true;
            if (!present.Faulted.IsCompleted || !runsReactions || reopening.IsCompleted)
                return false;
            await Task.WhenAny(turn, reopening).ConfigureAwait(false);
        }
    }

    // All events up to the last one returned are stored, so the next opening has them at the same positions.
    private async IAsyncEnumerable<SequencedEvent> FollowAsync(Query query, long after, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        while (true)
        {
            var used = Use();
            try
            {
                using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, used.Replaced);
                await using var events = used.Store.SubscribeAsync(query, after, ending.Token).GetAsyncEnumerator(CancellationToken.None);
                while (await MoveNextAsync(events, used, cancellationToken).ConfigureAwait(false))
                {
                    after = events.Current.Position;
                    yield return events.Current;
                }
            }
            finally
            {
                used.EndUse();
            }
        }
    }

    // False: another opening has replaced the one that is followed.
    private static async ValueTask<bool> MoveNextAsync(IAsyncEnumerator<SequencedEvent> events, HostedOpening used,
        CancellationToken cancellationToken)
    {
        try
        {
            return await events.MoveNextAsync().ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!used.Replaced.IsCancellationRequested)
                throw;
            return false;
        }
    }

    private static void ThrowIfInsideHandler(HostedOpening[] all) => Array.ForEach(all, static each => each.Store.ThrowIfInsideHandler());

    private Task WaitAsync(Task stopped, HostedOpening[] all, CancellationToken cancellationToken) => Stop.WaitAsync(stopped, path,
        () => all.SelectMany(static each => each.Store.Unfinished), logger, cancellationToken);

    private Task CloseOnceAsync(HostedOpening[] all)
    {
        ThrowIfInsideHandler(all);
        lock (gate)
            return disposal ??= CloseAsync();
    }

    private async Task CloseAsync()
    {
        await stopping.CancelAsync().ConfigureAwait(false);
        await reopening.ConfigureAwait(false);
        try
        {
            if (opening is { } last)
                await last.Store.EndAsync().ConfigureAwait(false);
        }
        finally
        {
            // After the current one, which a handler of a former one that takes long must not keep open.
            await retiring.ConfigureAwait(false);
            foreach (var former in Openings.Where(each => each != opening))
                await former.DisposeAsync().ConfigureAwait(false);
        }
        // Last: a replica on a share that hangs must not keep the store from being closed.
        await following.ConfigureAwait(false);
    }

    private InvalidOperationException NotStarted() => new(
        $"The host opens {registration} when it starts, and it has not started. Use the store from a hosted service or after host.StartAsync(). "
            + "Without a host, open the store with FileSystemEventStore.OpenAsync.");

    private void RefuseSharedFolders()
    {
        var stores = new Dictionary<string, StoreRegistration>(FolderComparer);
        foreach (var store in services.GetServices<StoreRegistration>())
        {
            var folder = Path.TrimEndingDirectorySeparator(Path.GetFullPath(OptionsOf<OpossumOptions>(store).Path));
            if (!stores.TryAdd(folder, store))
            {
                throw new InvalidOperationException($"OpossumOptions.Path is {folder} for {stores[folder]} and for {store}, but one folder is one "
                    + "store. Give each its own folder, or add only one of them and inject it in both places.");
            }
        }
    }

    private TOptions OptionsOf<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(StoreRegistration store)
        where TOptions : class => services.GetRequiredService<IOptionsMonitor<TOptions>>().Get(store.Name);
}
