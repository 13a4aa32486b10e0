using Opossum.Projections;
using Opossum.Projections.States;
using Opossum.Projections.Updating;

namespace Opossum;

/// <summary>Keeps the states of projections up to date, together with other processes that have the same projections: of several, one leads each.</summary>
/// <remarks>
/// Made by <see cref="FileSystemEventStore.StartProjections"/>. Dispose it before the store; if not, the store does so when it is disposed.
/// </remarks>
/// <example><code>
/// await using var projections = store.StartProjections([new CourseOverviews()]);
/// var courses = projections.Store&lt;CourseOverview&gt;();
/// </code></example>
public sealed class ProjectionRunner : IAsyncDisposable, IDisposable
{
    private readonly ProjectionWorker[] workers;
    private readonly CancellationTokenSource stopping = new();
    private readonly Task running;
    private readonly Action<ProjectionRunner> whenDisposed;

    internal ProjectionRunner(ProjectionHost host, IEnumerable<Projection> projections, EventTypeRegistry types, Action<ProjectionRunner> whenDisposed)
    {
        this.whenDisposed = whenDisposed;
        workers = [.. Check(projections, host.CanWrite ? types : null).Select(each => each.CreateWorker(host))];
        running = Task.WhenAll(workers.Select(worker => Task.Run(() => worker.RunAsync(stopping.Token))));
    }

    /// <summary>The states of one of the projections.</summary>
    /// <typeparam name="TState">The state's type.</typeparam>
    /// <param name="name">The projection's name; null, the default: the only one with that state type.</param>
    /// <exception cref="ArgumentException">No projection has that name and state type, or no name was given and several have that state type.</exception>
    public IProjectionStore<TState> GetStore<TState>(string? name = null)
        where TState : class
    {
        var found = Array.FindAll(workers, worker => worker.Projection is Projection<TState> && (name is null || worker.Projection.Name == name));
        return found switch
        {
            [var worker] => (IProjectionStore<TState>)worker.Reader,
            [] => throw new ArgumentException($"No projection {(name is null ? "" : $"{NameRules.Quote(name)} ")}with the state {typeof(TState)} was started. Those that were: {string.Join(", ", workers.Select(static worker => worker.Projection.Name))}.", nameof(name)),
            _ => throw new ArgumentException($"Several projections have the state {typeof(TState)}: {string.Join(", ", found.Select(static worker => worker.Projection.Name))}. Name the one that is meant.", nameof(name)),
        };
    }

    /// <summary>How the projections are doing, in the order in which they were given.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    public async Task<IReadOnlyList<ProjectionStatus>> GetStatusAsync(CancellationToken cancellationToken = default)
    {
        var statuses = new ProjectionStatus[workers.Length];
        for (var at = 0; at < workers.Length; at++)
            statuses[at] = await workers[at].GetStatusAsync(cancellationToken).ConfigureAwait(false);
        return statuses;
    }

    /// <summary>
    /// Builds the states of a projection again, from all events, and ends when the new ones have taken the place of the old ones, which are
    /// read and kept up to date until then. The process that leads does it, also when that is another one.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Ends the wait; the states are built all the same.</param>
    /// <exception cref="ArgumentException">No projection has that name.</exception>
    /// <exception cref="ProjectionFaultedException">An event cannot be applied; the old states stay.</exception>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; what was asked for is done all the same.</exception>
    /// <exception cref="StoreWriteException">The disk refused the request; nothing was asked for.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RebuildAsync(string name, CancellationToken cancellationToken = default) =>
        Worker(name).RequestAsync(new ProjectionRequest(Guid.NewGuid(), RequestKind.Rebuild), cancellationToken);

    /// <summary>Lets a projection that has stopped try the event again, and go on. Ends when the process that leads has begun to; does nothing when it has not stopped.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">No projection has that name.</exception>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; what was asked for is done all the same.</exception>
    /// <exception cref="StoreWriteException">The disk refused the request; nothing was asked for.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RetryAsync(string name, CancellationToken cancellationToken = default) =>
        Worker(name).RequestAsync(new ProjectionRequest(Guid.NewGuid(), RequestKind.Retry), cancellationToken);

    /// <summary>
    /// Lets a projection that has stopped go on behind the event, which then counts in no state. That is recorded for good, and holds for
    /// every build of the same version. Ends when the process that leads has recorded it.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="position">The position it has stopped at.</param>
    /// <param name="reason">Why, for the record.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">No projection has that name, or the reason is empty or has more than 4,000 characters.</exception>
    /// <exception cref="InvalidOperationException">The projection has not stopped at that position.</exception>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; whether it was recorded shows in the status.</exception>
    /// <exception cref="StoreWriteException">The disk refused the request; nothing was asked for.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task SkipAsync(string name, long position, string reason, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(reason);
        NameRules.CheckUnicode(reason, "The reason", nameof(reason));
        if (reason.Length > ProjectionLayout.TextLengthMax)
            throw new ArgumentException($"The reason has {reason.Length} characters; at most {ProjectionLayout.TextLengthMax} are allowed.", nameof(reason));
        return Worker(name).RequestAsync(new ProjectionRequest(Guid.NewGuid(), RequestKind.Skip, position, reason), cancellationToken);
    }

    /// <summary>Stops: what was applied is written, and other processes may lead.</summary>
    public async ValueTask DisposeAsync()
    {
        await stopping.CancelAsync().ConfigureAwait(false);
        await running.ConfigureAwait(false);
        whenDisposed(this);
    }

    /// <inheritdoc cref="DisposeAsync"/>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    private ProjectionWorker Worker(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return Array.Find(workers, worker => worker.Projection.Name == name)
            ?? throw new ArgumentException($"No projection {NameRules.Quote(name)} was started. Those that were: {string.Join(", ", workers.Select(static worker => worker.Projection.Name))}.", nameof(name));
    }

    // Everything that can be wrong is told before the first worker begins.
    private static List<Projection> Check(IEnumerable<Projection> projections, EventTypeRegistry? types)
    {
        var list = projections.ToList();
        if (list.Count == 0)
            throw new ArgumentException("There is no projection to start.", nameof(projections));
        foreach (var projection in list)
        {
            if (projection is null)
                throw new ArgumentNullException(nameof(projections), "One of the projections is null.");
            if (list.Exists(other => other != projection && other.Name == projection.Name) || list.FindAll(other => other == projection).Count > 1)
                throw new ArgumentException($"There are two projections of the name {projection.Name}, which names the folder of their states. Give each its own.", nameof(projections));
            var query = projection.Query;
            // Where nothing is written no event is applied, and states can be read without the types of events.
            if (types?.FindUnknown(query) is { } problem)
                throw new ArgumentException($"The projection {projection.Name} handles an event type that the store does not know. {problem}", nameof(projections));
        }
        return list;
    }
}
