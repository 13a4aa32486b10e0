using Opossum.Following;
using Opossum.Reactions;
using Opossum.Reactions.Running;

namespace Opossum;

/// <summary>Runs reactions. When several processes run the same reaction, one of them leads it and handles its events.</summary>
/// <remarks>
/// Created by <see cref="FileSystemEventStore.StartReactions"/>. Dispose it before the store; otherwise the store disposes it.
/// </remarks>
public sealed class ReactionRunner : IAsyncDisposable, IDisposable
{
    /// <summary>What a runner of reactions runs.</summary>
    internal const string Kinds = "reactions";

    private readonly ReactionWorker[] workers;
    private readonly FollowerRunner runner;

    internal ReactionRunner(ReactionHost host, IEnumerable<Reaction> reactions, Func<Query, string?> findUnknown,
        Func<FollowerHost, string, IReadOnlyList<Follower>, FollowerRunner> start)
    {
        workers = [.. Check(reactions, findUnknown).Select(each => new ReactionWorker(host, each))];
        runner = start(host, Kinds, workers);
    }

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
        runner.ThrowIfInsideHandler();
        return StopAsync();
    }

    /// <inheritdoc cref="DisposeAsync"/>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <summary>The same as <see cref="DisposeAsync"/> for a caller that no handler waits for.</summary>
    internal ValueTask StopAsync() => runner.DisposeAsync();

    /// <summary>Waits until all of them have done the events up to a position.</summary>
    internal Task WaitForAsync(long position, CancellationToken cancellationToken) => runner.WaitForAsync(position, cancellationToken);

    /// <summary>Checks reactions before the first is started.</summary>
    internal static List<Reaction> Check(IEnumerable<Reaction> reactions, Func<Query, string?> findUnknown) => FollowerRunner.Check(
        reactions, "reaction", static each => each.Name, static each => each.Query, findUnknown, nameof(reactions));

    private ReactionWorker Worker(string name) => FollowerRunner.Find(workers, "reaction", name, static worker => worker.Name);
}
