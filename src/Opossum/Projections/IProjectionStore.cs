namespace Opossum;

/// <summary>
/// Reads the states of a projection from their files. A power cut may lose a state written milliseconds before; its events then restore it. A state
/// that <see cref="WaitForAsync"/> has confirmed is lost only if its events are lost too
/// (<see cref="OpossumOptions.FlushEventsImmediately"/> = false).
/// </summary>
/// <typeparam name="TState">The state's type.</typeparam>
/// <remarks>
/// States follow the events with a short delay; <see cref="WaitForAsync"/> waits for them. All members are thread-safe and work in every process,
/// whichever process keeps the states up to date.
/// </remarks>
/// <example><code>
/// var appended = await store.AppendAsync(new NewEvent(new StudentSubscribed("c1", "s9")));
/// await courses.WaitForAsync(appended.LastPosition);
/// var course = await courses.GetAsync("c1");
/// </code></example>
public interface IProjectionStore<TState>
    where TState : class
{
    /// <summary>Reads the state of a key; null when there is none.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">The key is empty or not valid Unicode.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    /// <exception cref="ProjectionException">The state's file is damaged, or does not fit <typeparamref name="TState"/>.</exception>
    /// <exception cref="PersonalDataException">A personal value or a key is damaged, or a key cannot be read.</exception>
    Task<TState?> GetAsync(string key, CancellationToken cancellationToken = default);

    /// <summary>Reads the states of many keys; keys without a state are omitted.</summary>
    /// <param name="keys">The keys; duplicates are ignored.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">A key is empty or not valid Unicode.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    /// <exception cref="ProjectionException">A state's file is damaged, or does not fit <typeparamref name="TState"/>.</exception>
    /// <exception cref="PersonalDataException">A personal value or a key is damaged, or a key cannot be read.</exception>
    Task<IReadOnlyDictionary<string, TState>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default);

    /// <summary>
    /// Reads all states, in no particular order, each key once. A state that changes during the read is returned as it was before or after
    /// the change.
    /// </summary>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    /// <exception cref="ProjectionException">A state's file is damaged, or does not fit <typeparamref name="TState"/>.</exception>
    /// <exception cref="PersonalDataException">A personal value or a key is damaged, or a key cannot be read.</exception>
    IAsyncEnumerable<ProjectionEntry<TState>> ReadAllAsync(CancellationToken cancellationToken = default);

    /// <summary>Reads the states that carry all of the tags, in no particular order, each key once. An index finds them.</summary>
    /// <param name="tags">The tags, as the projection's <c>TagBy</c> returns them: at least one.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <exception cref="ArgumentException">There is no tag, or a tag is <c>default(Tag)</c> or a pseudonym.</exception>
    /// <exception cref="InvalidOperationException">The projection's states have no tags: it does not call <c>TagBy</c>.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    /// <exception cref="ProjectionException">A state's file is damaged, or does not fit <typeparamref name="TState"/>.</exception>
    /// <exception cref="PersonalDataException">A personal value or a key is damaged, or a key cannot be read.</exception>
    IAsyncEnumerable<ProjectionEntry<TState>> FindAsync(IEnumerable<Tag> tags, CancellationToken cancellationToken = default);

    /// <summary>Waits until every event up to the position is applied to the states that reads return.</summary>
    /// <param name="position">
    /// The position, such as <see cref="AppendResult.LastPosition"/>. For a position beyond the head the call waits until that event is appended.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    /// <exception cref="ProjectionException">The projection has stopped at an event at or before that position.</exception>
    /// <exception cref="ObjectDisposedException">The projection was stopped in this process, or the store was closed.</exception>
    Task WaitForAsync(long position, CancellationToken cancellationToken = default);

    /// <summary>Reads the status of the projection.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default);
}
