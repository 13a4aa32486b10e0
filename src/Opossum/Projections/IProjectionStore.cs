namespace Opossum;

/// <summary>
/// The states of a projection, read from their files. A power cut may take back a state that was written milliseconds before, and its events bring it
/// again; it takes back nothing that <see cref="WaitForAsync"/> has waited for, unless it takes the events themselves
/// (<see cref="OpossumOptions.FlushEventsImmediately"/>).
/// </summary>
/// <typeparam name="TState">The state's type.</typeparam>
/// <remarks>
/// States follow the events with a short delay; <see cref="WaitForAsync"/> bridges it. All members may be called from any thread, in every
/// process, whichever of them keeps the states up to date.
/// </remarks>
/// <example><code>
/// var appended = await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", "s9")));
/// await courses.WaitForAsync(appended.LastPosition);
/// var course = await courses.GetAsync("c1");
/// </code></example>
public interface IProjectionStore<TState>
    where TState : class
{
    /// <summary>The state of a key; null when there is none.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">The key is empty or not valid Unicode.</exception>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    /// <exception cref="ProjectionDamagedException">The state's file is damaged, or does not fit <typeparamref name="TState"/>.</exception>
    Task<TState?> GetAsync(string key, CancellationToken cancellationToken = default);

    /// <summary>The states of many keys; what has no state is not among them.</summary>
    /// <param name="keys">The keys; one given twice counts once.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">A key is empty or not valid Unicode.</exception>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    /// <exception cref="ProjectionDamagedException">A state's file is damaged, or does not fit <typeparamref name="TState"/>.</exception>
    Task<IReadOnlyDictionary<string, TState>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default);

    /// <summary>All states, in no particular order, each key once. One that changes meanwhile is read as it was before or after.</summary>
    /// <param name="cancellationToken">Ends the read.</param>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    /// <exception cref="ProjectionDamagedException">A state's file is damaged, or does not fit <typeparamref name="TState"/>.</exception>
    IAsyncEnumerable<ProjectionEntry<TState>> ReadAllAsync(CancellationToken cancellationToken = default);

    /// <summary>The states that carry all of the tags, in no particular order, each key once; found through an index.</summary>
    /// <param name="tags">At least one of the tags that the projection's <c>TagBy</c> gives.</param>
    /// <param name="cancellationToken">Ends the read.</param>
    /// <exception cref="ArgumentException">There is no tag, or one is <c>default(Tag)</c>.</exception>
    /// <exception cref="InvalidOperationException">The projection's states have no tags: it does not call <c>TagBy</c>.</exception>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    /// <exception cref="ProjectionDamagedException">A state's file is damaged, or does not fit <typeparamref name="TState"/>.</exception>
    IAsyncEnumerable<ProjectionEntry<TState>> FindAsync(IEnumerable<Tag> tags, CancellationToken cancellationToken = default);

    /// <summary>Waits until every event up to the position counts in what is read.</summary>
    /// <param name="position">A position, such as <see cref="AppendResult.LastPosition"/>. One beyond the store's head is waited for until it is there.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    /// <exception cref="ProjectionFaultedException">The projection has stopped at an event before, or at, that position.</exception>
    Task WaitForAsync(long position, CancellationToken cancellationToken = default);

    /// <summary>How the projection is doing.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default);
}
