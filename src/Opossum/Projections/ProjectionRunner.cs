using Opossum.Following;
using Opossum.Projections;
using Opossum.Projections.Updating;

namespace Opossum;

/// <summary>Keeps the states of projections up to date. When several processes run the same projection, one of them leads it.</summary>
/// <remarks>
/// Created by <see cref="FileSystemEventStore.StartProjections"/>. Dispose it before the store; otherwise the store disposes it.
/// </remarks>
/// <example><code>
/// await using var projections = store.StartProjections([new CourseOverviews()]);
/// var courses = projections.GetStore&lt;CourseOverview&gt;();
/// </code></example>
public sealed class ProjectionRunner : IAsyncDisposable, IDisposable
{
    private readonly IProjectionWorker[] workers;
    private readonly FollowerRunner runner;

    internal ProjectionRunner(ProjectionHost host, IEnumerable<Projection> projections, EventTypeRegistry types,
        Func<FollowerHost, string, IReadOnlyList<Follower>, FollowerRunner> start)
    {
        // A process that does not write applies no events, and reading states needs no event types.
        Func<Query, string?>? findUnknown = host.CanWrite ? types.FindUnknown : null;
        var all = FollowerRunner.Check(projections, "projection", static each => each.Name, static each => each.Query, findUnknown,
            nameof(projections));
        workers = [.. all.Select(each => each.CreateWorker(host))];
        runner = start(host, "projections", [.. workers.Select(static worker => worker.Follower)]);
    }

    /// <summary>Returns the store of a projection's states.</summary>
    /// <typeparam name="TState">The state's type.</typeparam>
    /// <param name="name">The projection's name. Null, the default: the only projection with that state type.</param>
    /// <exception cref="ArgumentException">
    /// No projection has that name and state type, or the name is null and several projections have that state type.
    /// </exception>
    public IProjectionStore<TState> GetStore<TState>(string? name = null)
        where TState : class
    {
        var found = Array.FindAll(workers, worker => worker.Projection is Projection<TState> && (name is null || worker.Projection.Name == name));
        return found switch
        {
            [var worker] => (IProjectionStore<TState>)worker.Reader,
            [] =>
                throw new ArgumentException($"No projection {(name is null ? "" : $"{NameRules.Quote(name)} ")}with the state {typeof(TState)} "
                    + $"was started. Started projections: {string.Join(", ", workers.Select(static worker => worker.Projection.Name))}.",
                    nameof(name)),
            _ =>
                throw new ArgumentException($"Several projections have the state {typeof(TState)}: "
                    + $"{string.Join(", ", found.Select(static worker => worker.Projection.Name))}. Pass the name of one of them.", nameof(name)),
        };
    }

    /// <summary>Reads the status of the projections, in the order in which they were passed.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async Task<IReadOnlyList<ProjectionStatus>> GetStatusAsync(CancellationToken cancellationToken = default)
    {
        var statuses = new ProjectionStatus[workers.Length];
        for (var at = 0; at < workers.Length; at++)
            statuses[at] = await workers[at].GetStatusAsync(cancellationToken).ConfigureAwait(false);
        return statuses;
    }

    /// <summary>
    /// Rebuilds the states of a projection from all events, and completes when the new states have replaced the old ones. Until then the old states
    /// are read and kept up to date. The leading process does the work, even if it is another process.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Cancels the wait; the rebuild continues.</param>
    /// <exception cref="ArgumentException">No projection has that name.</exception>
    /// <exception cref="ProjectionException">An event cannot be applied; the old states stay.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; the leader still carries out the request.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RebuildAsync(string name, CancellationToken cancellationToken = default) =>
        Worker(name).RequestAsync(new LeaderRequest(Guid.NewGuid(), RequestKind.Rebuild), cancellationToken);

    /// <summary>
    /// Retries the event at which a projection has stopped, and continues. Completes when the leading process has started the retry; does
    /// nothing if the
    /// projection has not stopped.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">No projection has that name.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; the leader still carries out the request.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RetryAsync(string name, CancellationToken cancellationToken = default) =>
        Worker(name).RequestAsync(new LeaderRequest(Guid.NewGuid(), RequestKind.Retry), cancellationToken);

    /// <summary>
    /// Skips the event at which a projection has stopped, and continues after it; no state counts that event. The skip is recorded permanently and
    /// applies to every build of the same version. Completes when the leading process has recorded it.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="position">The position at which it has stopped.</param>
    /// <param name="reason">The reason, for the record.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">No projection has that name, or the reason is empty or has more than 4,000 characters.</exception>
    /// <exception cref="InvalidOperationException">The projection has not stopped at that position.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; the status shows whether the skip was recorded.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task SkipAsync(string name, long position, string reason, CancellationToken cancellationToken = default) =>
        Worker(name).RequestAsync(LeaderRequest.Skip(position, reason), cancellationToken);

    /// <summary>Stops the projections: writes what was applied and gives up the lead, so that other processes may lead.</summary>
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

    private IProjectionWorker Worker(string name) =>
        FollowerRunner.Find(workers, "projection", name, static worker => worker.Projection.Name);
}
