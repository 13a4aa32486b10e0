using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Opossum.Diagnostics;
using Opossum.Following;

namespace Opossum.DependencyInjection;

/// <summary>The stores on demand of a host: opens, counts uses, closes what is idle, and keeps the number of open stores within its bound.</summary>
internal sealed class EventStores : IEventStores, IHostedLifecycleService, IAsyncDisposable, IDisposable
{
    // A closing that takes longer, as one that waits for a handler, is not expected to make a place soon.
    private static readonly TimeSpan usualClosing = TimeSpan.FromSeconds(1);

    private readonly Lock gate = new();
    private readonly OpossumStoresOptions options;
    private readonly string root;
    private readonly TimeProvider clock;
    private readonly CarefulLogger logger;
    private readonly Projection[] projections;
    private readonly IReadOnlyList<Reaction> reactions;
    private readonly IServiceScopeFactory scopes;
    private readonly SemaphoreSlim places;
    private readonly ITimer idleTimer;
    private readonly CancellationTokenSource stopping = new();

    // By name, what the next handle of the name gets.
    private readonly Dictionary<string, LeasedStore> current = new(StringComparer.Ordinal);

    // By name, the id, the head and the fault of a store that has faulted, until it is open again, if ever: no other store takes its place.
    private readonly Dictionary<string, (Guid? Id, long Head, string Fault)> lost = new(StringComparer.Ordinal);

    // All that take a place or want one: also what is retired and still in use, and what is being closed.
    private readonly HashSet<LeasedStore> all = [];
    private int waiting;

    // How many are being closed and are expected to make a place soon.
    private int closing;

    // The end of the last use that the timer is set for; null: it is not set.
    private long? idleTimerSince;

    private bool isStopping;
    private Task? disposal;

    public EventStores(IServiceProvider services)
    {
        options = services.GetRequiredService<IOptions<OpossumStoresOptions>>().Value;
        root = Path.GetFullPath(options.Root);
        clock = options.Store.TimeProvider;
        logger = new CarefulLogger((options.Store.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger("Opossum"));
        projections = [.. services.GetKeyedServices<Projection>(SharedKey)];
        reactions = HostedReactions.Create(services, SharedKey);
        scopes = services.GetRequiredService<IServiceScopeFactory>();
        places = new SemaphoreSlim(options.MaxOpen);
        idleTimer = clock.CreateTimer(static stores => ((EventStores)stores!).CloseIdle(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The key of the projections and reactions that were added to all stores.</summary>
    public static object SharedKey => typeof(EventStores);

    /// <summary>How they wait when the host stops.</summary>
    public HostedStop Stop { get; } = new();

    public int MaxOpen => options.MaxOpen;

    public bool ReopensAfterFault => options.Store.Advanced.ReopenAfterFault && !options.Store.ReadOnly;

    public async Task<EventStoreHandle> OpenAsync(string name, bool? create = null, CancellationToken cancellationToken = default)
    {
        NameRules.CheckFolderName(name, "The store's name", nameof(name));
        cancellationToken.ThrowIfCancellationRequested();
        var creates = create ?? options.Store.CreateIfMissing;
        while (true)
        {
            var used = Use(name, creates, out var isFirst);
            var isLeased = false;
            try
            {
                await used.Opening.WaitAsync(cancellationToken).ConfigureAwait(false);
                isLeased = !ReopensAfterFault || !used.Store.Faulted.IsCompleted;
                if (isLeased)
                    return new EventStoreHandle(used, () => EndUse(used));
                Retire(used);
            }
            catch (StoreOpenException) when (creates && !used.Creates && !isFirst)
            {
                // Another caller's opening was not allowed to create the store; this one is.
            }
            finally
            {
                if (!isLeased)
                    EndUse(used);
            }
        }
    }

    public Task<IReadOnlyList<string>> ListAsync(CancellationToken cancellationToken = default) => Task.Run<IReadOnlyList<string>>(
        () => [.. FileSystemEventStore.FindStores(root).Where(NameRules.IsFolderName).Order(StringComparer.Ordinal)], cancellationToken);

    /// <summary>The open stores, each in use only until the next one is asked for. Looking at a store does not keep it open.</summary>
    public IEnumerable<LeasedStore> Look()
    {
        foreach (var leased in All().OrderBy(static leased => leased.Name, StringComparer.Ordinal))
        {
            lock (gate)
            {
                if (!leased.IsOpen || leased.IsRetired)
                    continue;
                leased.Uses++;
            }
            try
            {
                yield return leased;
            }
            finally
            {
                lock (gate)
                    EndUse(leased, leased.IdleSince);
            }
        }
    }

    /// <summary>The stores that have faulted, are closed, and are not opened again, each with the reason.</summary>
    public IReadOnlyList<(string Name, string Problem)> FindLost()
    {
        lock (gate)
            return ReopensAfterFault ? [] : [.. lost.Select(static each => (each.Key, Refusal(each.Key, each.Value.Fault)))];
    }

    // What no store could be opened with is refused, and nothing is opened.
    public Task StartingAsync(CancellationToken cancellationToken)
    {
        var types = options.Store.EventTypes;
        types.Freeze();
        if (projections.Length > 0)
            FileSystemEventStore.Check(projections, types, canWrite: !options.Store.ReadOnly);
        if (reactions.Count > 0)
            FileSystemEventStore.Check(reactions, types);
        return Task.CompletedTask;
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // No other service has stopped yet, so handlers can use them until they return.
    public async Task StoppingAsync(CancellationToken cancellationToken)
    {
        lock (gate)
            isStopping = true;
        var open = All();
        ThrowIfInsideHandler(open);
        await WaitAsync(Task.WhenAll(open.Select(static leased => leased.Reactions?.StopAsync().AsTask() ?? Task.CompletedTask)), open,
            cancellationToken).ConfigureAwait(false);
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // All other services have stopped by now, so their last appends were accepted and complete here.
    public Task StoppedAsync(CancellationToken cancellationToken)
    {
        var open = All();
        return WaitAsync(CloseAllOnceAsync(open), open, cancellationToken);
    }

    public ValueTask DisposeAsync()
    {
        var closing = CloseAllOnceAsync(All());
        return Stop.HasGivenUp ? ValueTask.CompletedTask : new ValueTask(closing);
    }

    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    private LeasedStore Use(string name, bool creates, out bool isFirst)
    {
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(disposal is not null, typeof(IEventStores));
            isFirst = !current.TryGetValue(name, out var used);
            if (used is null)
            {
                used = new LeasedStore(name, creates);
                // What is being closed still leads the store's projections. After a fault the store is opened beside what may wait for a handler.
                var former = all.Where(leased => leased.Name == name && !leased.IsRetired).ToList();
                current.Add(name, used);
                all.Add(used);
                used.Opening = DetachedTask.Run(() => OpenAsync(used, former));
            }
            used.Uses++;
            return used;
        }
    }

    private void EndUse(LeasedStore used)
    {
        lock (gate)
            EndUse(used, clock.GetTimestamp());
    }

    // Under the gate.
    private void EndUse(LeasedStore used, long idleSince)
    {
        used.Uses--;
        used.IdleSince = idleSince;
        Settle(used);
    }

    // Under the gate. Closes a store that nobody uses when it is retired or another needs its place; otherwise in its time.
    private void Settle(LeasedStore leased)
    {
        if (!leased.IsIdle)
            return;
        var left = options.IdleTimeout - clock.GetElapsedTime(leased.IdleSince);
        if (leased.IsRetired || waiting > closing || left <= TimeSpan.Zero)
            Close(leased);
        else
            SetIdleTimer(leased.IdleSince, left);
    }

    private async Task OpenAsync(LeasedStore leased, List<LeasedStore> former)
    {
        var hasPlace = false;
        try
        {
            await WaitUntilClosedAsync(former, leased.Name).ConfigureAwait(false);
            // Before a place is taken: what is not opened neither closes a store nor waits until one is returned.
            ThrowIfLost(leased.Name);
            if (!leased.Creates && FileSystemEventStore.IsMissing(PathOf(leased.Name)))
                throw new StoreOpenException(PathOf(leased.Name), $"There is no store {leased.Name}, and this call must not create it.");
            await TakePlaceAsync(leased.Name).ConfigureAwait(false);
            hasPlace = true;
            var opened = await OpenStoreAsync(leased).ConfigureAwait(false);
            var runner = await StartProjectionsAsync(opened).ConfigureAwait(false);
            lock (gate)
            {
                leased.Open(opened, runner);
                if (lost.Remove(leased.Name, out var faulted))
                    StoreLog.Reopened(logger, PathOf(leased.Name), faulted.Fault);
                if (reactions.Count > 0 && !isStopping)
                    leased.Reactions = opened.RunReactions(reactions, options.Reactions, opened.KnownHead, scopes);
                leased.IdleSince = clock.GetTimestamp();
                Settle(leased);
            }
        }
        catch (Exception e)
        {
            lock (gate)
                Forget(leased);
            if (hasPlace)
                places.Release();
            ObjectDisposedException.ThrowIf(e is OperationCanceledException && stopping.IsCancellationRequested, typeof(IEventStores));
            throw;
        }
    }

    private async Task<FileSystemEventStore> OpenStoreAsync(LeasedStore leased)
    {
        bool wasLost;
        (Guid? Id, long Head, string Fault) known;
        lock (gate)
            wasLost = lost.TryGetValue(leased.Name, out known);
        var copy = OptionsOf(leased);
        if (!wasLost)
            return await FileSystemEventStore.OpenAsync(copy, CancellationToken.None).ConfigureAwait(false);
        var opened = await FileSystemEventStore.ReopenAsync(copy, CancellationToken.None).ConfigureAwait(false);
        if (StoreReopener.FindChange(opened, copy.Path, known.Id, known.Head) is not { } change)
            return opened;
        await opened.DisposeAsync().ConfigureAwait(false);
        throw new StoreOpenException(copy.Path, $"The store {leased.Name} was not opened again after a fault. {change}");
    }

    private void ThrowIfLost(string name)
    {
        lock (gate)
        {
            if (!ReopensAfterFault && lost.TryGetValue(name, out var faulted))
                throw new StoreOpenException(PathOf(name), Refusal(name, faulted.Fault));
        }
    }

    private static string Refusal(string name, string fault) =>
        $"The store {name} has faulted and was closed. It is not opened again until the app is started again: {fault}";

    private OpossumOptions OptionsOf(LeasedStore leased)
    {
        var copy = options.Store.Copy();
        copy.Path = PathOf(leased.Name);
        copy.CreateIfMissing = leased.Creates;
        if (copy.PersonalData.KeysFolder is { } keys)
            copy.PersonalData.KeysFolder = Path.Combine(keys, leased.Name);
        return copy;
    }

    private async Task<FollowerRunner?> StartProjectionsAsync(FileSystemEventStore opened)
    {
        try
        {
            if (reactions.Count > 0)
                opened.CheckReactions(reactions);
            return projections.Length > 0 ? opened.RunProjections(projections, options.Projections) : null;
        }
        catch
        {
            await opened.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task WaitUntilClosedAsync(List<LeasedStore> former, string name)
    {
        try
        {
            await Task.WhenAll(former.Select(static leased => leased.Closing)).WaitAsync(options.WaitTimeout, clock, stopping.Token)
                .ConfigureAwait(false);
        }
        catch (TimeoutException e)
        {
            throw new StoreOpenException(PathOf(name), $"The store {name} was not opened: it was unused and is being closed, which has not ended "
                + $"within {options.WaitTimeout}.{UnfinishedOf(former)}", e, isTransient: true);
        }
    }

    private static string UnfinishedOf(IEnumerable<LeasedStore> closing) =>
        string.Join("; ", closing.SelectMany(FindUnfinished)) is { Length: > 0 } unfinished ? $" Not finished yet: {unfinished}." : "";

    private static IEnumerable<string> FindUnfinished(LeasedStore leased) => leased.Unfinished.Select(each => $"{each} of {leased.Name}");

    private async Task TakePlaceAsync(string name)
    {
        if (places.Wait(0, CancellationToken.None))
            return;
        using var patience = new CancellationTokenSource(options.WaitTimeout, clock);
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, stopping.Token);
        lock (gate)
        {
            waiting++;
            MakePlace();
        }
        try
        {
            await places.WaitAsync(ending.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (!stopping.IsCancellationRequested)
        {
            throw new StoreOpenException(PathOf(name),
                $"The store {name} was not opened: {options.MaxOpen} stores are in use, as many as may be open, and none was returned within "
                    + $"{options.WaitTimeout}. Dispose each handle after its use, or raise {nameof(OpossumStoresOptions)}."
                    + $"{nameof(OpossumStoresOptions.MaxOpen)}.{UnfinishedOf(All().Where(static leased => !leased.Closing.IsCompleted))}",
                e, isTransient: true);
        }
        finally
        {
            lock (gate)
                waiting--;
        }
    }

    // Under the gate. Closes the store that was not used for the longest time, if more wait for a place than places are expected.
    private void MakePlace()
    {
        if (waiting > closing && all.Where(static leased => leased.IsIdle).MinBy(static leased => leased.IdleSince) is { } longestIdle)
            Close(longestIdle);
    }

    private void Retire(LeasedStore faulted)
    {
        lock (gate)
        {
            if (faulted.IsRetired)
                return;
            faulted.IsRetired = true;
            NoteLost(faulted);
            if (current.GetValueOrDefault(faulted.Name) == faulted)
                current.Remove(faulted.Name);
        }
        // The next opening leads the reactions and projections.
        _ = faulted.Reactions?.StopAsync().AsTask();
        _ = faulted.Runner?.StopAsync().AsTask();
    }

    // Under the gate.
    private void NoteLost(LeasedStore faulted) =>
        lost[faulted.Name] = (faulted.Store.Id, faulted.Store.KnownHead, faulted.Store.FindTrouble()?.Message ?? "");

    private void CloseIdle()
    {
        lock (gate)
        {
            idleTimerSince = null;
            foreach (var leased in all.Where(static leased => leased.IsIdle).OrderBy(static leased => leased.IdleSince).ToList())
                Settle(leased);
        }
    }

    // Under the gate. It is set for the store that has been idle for the longest time; when it fires, it is set for the next one.
    private void SetIdleTimer(long idleSince, TimeSpan due)
    {
        if (idleTimerSince <= idleSince || disposal is not null)
            return;
        idleTimerSince = idleSince;
        idleTimer.Change(due, Timeout.InfiniteTimeSpan);
    }

    // Under the gate.
    private void Close(LeasedStore leased)
    {
        if (!leased.TryEnd())
            return;
        closing++;
        if (!leased.IsRetired && leased.Store.Faulted.IsCompleted)
        {
            leased.IsRetired = true;
            NoteLost(leased);
        }
        if (current.GetValueOrDefault(leased.Name) == leased)
            current.Remove(leased.Name);
        leased.Closing = Task.Run(() => CloseAsync(leased), CancellationToken.None);
    }

    private async Task CloseAsync(LeasedStore leased)
    {
        var isExpected = true;
        try
        {
            var closed = leased.Store.EndAsync().AsTask();
            await closed.WaitAsync(usualClosing, clock).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!closed.IsCompleted)
            {
                isExpected = false;
                lock (gate)
                {
                    closing--;
                    MakePlace();
                }
            }
            await closed.ConfigureAwait(false);
        }
        catch (EventStoreException e)
        {
            StoreLog.NotClosedOnDemand(logger, PathOf(leased.Name), e);
        }
        finally
        {
            lock (gate)
            {
                if (isExpected)
                    closing--;
                Forget(leased);
            }
            places.Release();
        }
    }

    // Under the gate.
    private void Forget(LeasedStore leased)
    {
        all.Remove(leased);
        if (current.GetValueOrDefault(leased.Name) == leased)
            current.Remove(leased.Name);
    }

    private static void ThrowIfInsideHandler(LeasedStore[] open)
    {
        foreach (var leased in open.Where(static leased => leased.IsOpen))
            leased.Store.ThrowIfInsideHandler();
    }

    private Task WaitAsync(Task stopped, LeasedStore[] open, CancellationToken cancellationToken) => Stop.WaitAsync(stopped, root,
        () => open.SelectMany(FindUnfinished), logger, cancellationToken);

    private Task CloseAllOnceAsync(LeasedStore[] open)
    {
        ThrowIfInsideHandler(open);
        lock (gate)
            return disposal ??= CloseAllAsync();
    }

    private async Task CloseAllAsync()
    {
        await stopping.CancelAsync().ConfigureAwait(false);
        await idleTimer.DisposeAsync().ConfigureAwait(false);
        await Task.WhenAll(All().Select(static leased => leased.Opening)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        var open = All();
        lock (gate)
        {
            foreach (var leased in open)
                Close(leased);
        }
        await Task.WhenAll(open.Select(static leased => leased.Closing)).ConfigureAwait(false);
    }

    private LeasedStore[] All()
    {
        lock (gate)
            return [.. all];
    }

    private string PathOf(string name) => Path.Join(root, name);
}
