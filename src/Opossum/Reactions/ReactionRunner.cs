using Opossum.Leading;
using Opossum.Reactions;
using Opossum.Reactions.Running;

namespace Opossum;

/// <summary>Runs reactions. When several processes run the same reaction, one of them leads it and handles its events.</summary>
/// <remarks>
/// Created by <see cref="FileSystemEventStore.StartReactions"/>. Dispose it before the store; otherwise the store disposes it.
/// </remarks>
public sealed class ReactionRunner : IAsyncDisposable, IDisposable
{
    private readonly ReactionHost host;
    private readonly ReactionWorker[] workers;
    private readonly CancellationTokenSource stopping = new();
    private readonly RequestWatch requests;
    private readonly Task running;
    private readonly Action<ReactionRunner> whenDisposed;

    internal ReactionRunner(ReactionHost host, IEnumerable<Reaction> reactions, Func<Query, string?> findUnknown, Action<ReactionRunner> whenDisposed)
    {
        this.host = host;
        this.whenDisposed = whenDisposed;
        workers = [.. Check(reactions, findUnknown).Select(each => new ReactionWorker(host, each))];
        requests = new RequestWatch(host, host.Options.TakeOverInterval, [.. workers.Select(static worker => worker.Watched)]);
        running = Task.WhenAll(workers.Select(worker => Task.Run(() => worker.RunAsync(stopping.Token))));
    }

    /// <summary>The reactions that this process leads, and how far they are.</summary>
    internal IEnumerable<(string Name, ReactionProgress Progress)> Led
    {
        get
        {
            foreach (var worker in workers)
            {
                if (worker.Progress is { } progress)
                    yield return (worker.Reaction.Name, progress);
            }
        }
    }

    /// <summary>For each reaction that this process leads, how many events up to the head it has not handled, and how many are parked.</summary>
    internal IEnumerable<(string Name, long Lag, long Parked)> LagsAt(long head) =>
        Led.Select(led => (led.Name, Math.Max(0, head - led.Progress.Position) + led.Progress.Open, (long)led.Progress.Parked));

    /// <summary>Reads the status of the reactions, in the order in which they were passed.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async Task<IReadOnlyList<ReactionStatus>> GetStatusAsync(CancellationToken cancellationToken = default)
    {
        var statuses = new ReactionStatus[workers.Length];
        for (var at = 0; at < workers.Length; at++)
            statuses[at] = await workers[at].GetStatusAsync(cancellationToken).ConfigureAwait(false);
        return statuses;
    }

    /// <summary>Reads what is known of the parked events of a reaction, in ascending order of their positions.</summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">No reaction has that name.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public Task<IReadOnlyList<ParkedEvent>> ReadParkedAsync(string name, CancellationToken cancellationToken = default) =>
        Worker(name).ReadParkedAsync(cancellationToken);

    /// <summary>
    /// Retries a parked event: it is handled again, and the events of its key that wait for it after it. Completes when the leading process has given
    /// it to the handler.
    /// </summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">No reaction has that name.</exception>
    /// <exception cref="InvalidOperationException">The event is not parked.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; the leader still carries out the request.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    public Task RetryAsync(string name, long position, CancellationToken cancellationToken = default) =>
        Worker(name).RequestAsync(new LeaderRequest(Guid.NewGuid(), RequestKind.Retry, position), cancellationToken);

    /// <summary>
    /// Skips a parked event: it is not handled again, and the events of its key that wait for it are. The skip is recorded permanently in the
    /// reaction's folder. Completes when the leading process has recorded it.
    /// </summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="reason">The reason, for the record.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">No reaction has that name, or the reason is empty or has more than 4,000 characters.</exception>
    /// <exception cref="InvalidOperationException">The event is not parked.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; the leader still carries out the request.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    public Task SkipAsync(string name, long position, string reason, CancellationToken cancellationToken = default) =>
        Worker(name).RequestAsync(LeaderRequest.Skip(position, reason), cancellationToken);

    /// <summary>
    /// Handles the events after a position again, the parked ones among them too, or goes on after it where the reaction is halted. Events that were
    /// handled are told so by <see cref="ReactionContext.Attempt"/>; what handlers have appended through their context is not appended again.
    /// Completes when the leading process has recorded it.
    /// </summary>
    /// <param name="name">The reaction's name.</param>
    /// <param name="after">The position, from 0 to the store's head, which handles nothing again.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">No reaction has that name, or the store has no such position.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; the leader still carries out the request.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    public Task HandleAgainAsync(string name, long after, CancellationToken cancellationToken = default) =>
        Worker(name).RequestAsync(new LeaderRequest(Guid.NewGuid(), RequestKind.HandleAgain, after + 1), cancellationToken);

    /// <summary>
    /// Stops the reactions: cancels the handlers that run, waits until they have returned, records what is done, and gives up the lead.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is one of the handlers, for which it would wait.</exception>
    public ValueTask DisposeAsync()
    {
        ThrowIfInsideHandler();
        return StopAsync();
    }

    /// <inheritdoc cref="DisposeAsync"/>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <summary>What has not stopped yet.</summary>
    internal IEnumerable<string> Unfinished => workers.Select(static worker => worker.FindUnfinished()).OfType<string>();

    /// <summary>Throws inside of a handler of these reactions.</summary>
    internal void ThrowIfInsideHandler() => HandlerScope.ThrowIfInside(host, "Stopping the reactions or closing their store");

    /// <summary>The same as <see cref="DisposeAsync"/> for a caller that no handler waits for.</summary>
    internal async ValueTask StopAsync()
    {
        requests.Dispose();
        await stopping.CancelAsync().ConfigureAwait(false);
        await running.ConfigureAwait(false);
        whenDisposed(this);
    }

    /// <summary>Waits until every reaction has handled or parked its events up to a position.</summary>
    internal async Task WaitForAsync(long position, CancellationToken cancellationToken)
    {
        foreach (var worker in workers)
            await worker.WaitForAsync(position, cancellationToken).ConfigureAwait(false);
    }

    private ReactionWorker Worker(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return Array.Find(workers, worker => worker.Reaction.Name == name)
            ?? throw new ArgumentException($"No reaction {NameRules.Quote(name)} was started. Started reactions: "
            + $"{string.Join(", ", workers.Select(static worker => worker.Reaction.Name))}.", nameof(name));
    }

    /// <summary>Throws unless the reactions can be run; all checks come before the first worker starts.</summary>
    internal static List<Reaction> Check(IEnumerable<Reaction> reactions, Func<Query, string?> findUnknown)
    {
        var list = reactions.ToList();
        if (list.Count == 0)
            throw new ArgumentException("There is no reaction to start.", nameof(reactions));
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var reaction in list)
        {
            if (reaction is null)
                throw new ArgumentNullException(nameof(reactions), "One of the reactions is null.");
            if (!names.Add(reaction.Name))
            {
                throw new ArgumentException($"There are two reactions with the name {reaction.Name}, which is also the name of their folder. "
                    + "Give each its own name.", nameof(reactions));
            }
            if (findUnknown(reaction.Query) is { } problem)
            {
                throw new ArgumentException($"The reaction {reaction.Name} handles an event type that the store does not know. {problem}",
                    nameof(reactions));
            }
        }
        return list;
    }
}
