namespace Opossum;

/// <summary>Keeps the states of projections up to date, together with other processes that have the same projections: of several, one leads each.</summary>
/// <remarks>
/// Made by <see cref="FileSystemEventStore.StartProjections"/>. Dispose it before the store; if not, the store does so when it is disposed.
/// </remarks>
/// <example><code>
/// await using var projections = store.StartProjections([new CourseOverviews()]);
/// var courses = projections.Store&lt;CourseOverview&gt;();
/// </code></example>
public sealed class ProjectionRunner : IAsyncDisposable
{
    internal ProjectionRunner()
    {
    }

    /// <summary>The states of one of the projections.</summary>
    /// <typeparam name="TState">The state's type.</typeparam>
    /// <param name="name">The projection's name; null, the default: the only one with that state type.</param>
    /// <exception cref="ArgumentException">No projection has that name and state type, or no name was given and several have that state type.</exception>
    public IProjectionStore<TState> Store<TState>(string? name = null)
        where TState : class => throw new NotImplementedException();

    /// <summary>How the projections are doing, in the order in which they were given.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    public ValueTask<IReadOnlyList<ProjectionStatus>> GetStatusAsync(CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <summary>
    /// Builds the states of a projection again, from all events, and ends when the new ones have taken the place of the old ones, which are
    /// read and kept up to date until then. The process that leads does it, also when that is another one.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Ends the wait; the states are built all the same.</param>
    /// <exception cref="ArgumentException">No projection has that name.</exception>
    /// <exception cref="ProjectionFaultedException">An event cannot be applied; the old states stay.</exception>
    public ValueTask RebuildAsync(string name, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <summary>Lets a projection that has stopped try the event again, and go on. Ends when the process that leads has begun to; does nothing when it has not stopped.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">No projection has that name.</exception>
    public ValueTask RetryAsync(string name, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <summary>
    /// Lets a projection that has stopped go on behind the event, which then counts in no state. That is recorded for good, and holds for
    /// every build of the same version. Ends when the process that leads has recorded it.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="position">The position it has stopped at.</param>
    /// <param name="reason">Why, for the record.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">No projection has that name, or the reason is empty.</exception>
    /// <exception cref="InvalidOperationException">The projection has not stopped at that position.</exception>
    public ValueTask SkipAsync(string name, long position, string reason, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <summary>Stops: what was applied is written, and other processes may lead.</summary>
    public ValueTask DisposeAsync() => throw new NotImplementedException();
}
