using Opossum.Following;
using Opossum.Projections.Reading;
using Opossum.Serialization;

namespace Opossum;

/// <summary>
/// A projection of a store, in any process: one that runs it, or a tool. What is asked of it is done by the process that leads it, at once if that is
/// this one; otherwise it is sent there, and stays until a process leads.
/// </summary>
/// <remarks>
/// <see cref="ProjectionCollection"/> returns it. Each call throws an <see cref="InvalidOperationException"/> if the store has no projection of that
/// name, a <see cref="ProjectionException"/> if a file of it is damaged, which the process that leads it rebuilds, and a
/// <see cref="StoreIOException"/> if the disk or the share cannot be read or written; a later call may succeed.
/// </remarks>
/// <example><code>
/// var courses = store.Projections["course-overviews"];
/// if ((await courses.GetStatusAsync()).Fault is { } fault)
///     await courses.SkipAsync(fault.Position, "a test order");
/// </code></example>
public sealed class ProjectionHandle
{
    /// <summary>The maximum number of states of a page: 1,000.</summary>
    public const int PageStatesMax = 1_000;

    private readonly Followed<ProjectionReader> projection;

    internal ProjectionHandle(Followed<ProjectionReader> projection) => this.projection = projection;

    /// <summary>The projection's name.</summary>
    public string Name => projection.Name;

    /// <summary>Reads the status.</summary>
    /// <param name="cancellationToken">Cancels the call.</param>
    public Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default) =>
        projection.AskAsync(reader => reader.GetStatusAsync(cancellationToken), cancellationToken);

    /// <inheritdoc cref="IProjectionStore{TState}.WaitForAsync"/>
    public Task WaitForAsync(long position, CancellationToken cancellationToken = default) =>
        projection.WaitForAsync(position, cancellationToken);

    /// <summary>
    /// Rebuilds the states from all events. Until the new states replace the old ones, the old states are read and kept up to date.
    /// </summary>
    /// <param name="wait">Whether to wait until the new states have replaced the old ones. Default: true.</param>
    /// <param name="cancellationToken">Cancels the call, and not the request once it is sent.</param>
    /// <exception cref="ProjectionException">An event cannot be applied; the old states stay.</exception>
    /// <exception cref="InvalidOperationException">The caller is a handler of the projection, for which it would wait.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RebuildAsync(bool wait = true, CancellationToken cancellationToken = default) =>
        projection.SendAsync(new LeaderRequest(Guid.NewGuid(), RequestKind.Rebuild), wait, cancellationToken);

    /// <summary>Retries the event at which the projection has stopped, and continues; does nothing if it has not stopped.</summary>
    /// <param name="wait">Whether to wait until the leading process has started the retry. Default: true.</param>
    /// <param name="cancellationToken">Cancels the call, and not the request once it is sent.</param>
    /// <exception cref="InvalidOperationException">The caller is a handler of the projection, for which it would wait.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RetryAsync(bool wait = true, CancellationToken cancellationToken = default) =>
        projection.SendAsync(new LeaderRequest(Guid.NewGuid(), RequestKind.Retry), wait, cancellationToken);

    /// <summary>
    /// Skips the event at which the projection has stopped, and continues after it; no state counts that event. The skip is recorded permanently and
    /// applies to every build of the same version.
    /// </summary>
    /// <param name="position">The position at which it has stopped.</param>
    /// <param name="reason">The reason, for the record, at most 4,000 characters.</param>
    /// <param name="wait">Whether to wait until the leading process has recorded it. Default: true.</param>
    /// <param name="cancellationToken">Cancels the call, and not the request once it is sent.</param>
    /// <exception cref="ArgumentException">The reason is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">
    /// The projection has not stopped at that position; or the caller is a handler of it, for which it would wait.
    /// </exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task SkipAsync(long position, string reason, bool wait = true, CancellationToken cancellationToken = default) =>
        projection.SendAsync(LeaderRequest.Skip(position, reason), wait, cancellationToken);

    /// <summary>
    /// Reads a page of states as they are stored: personal values stay encrypted. The states are in the order of their keys, of which characters
    /// other than <c>a-z</c>, <c>0-9</c>, <c>-</c> and <c>_</c> come first, and long keys last among those with the same beginning.
    /// </summary>
    /// <param name="keyStart">What the keys start with. Empty, the default: all keys.</param>
    /// <param name="after">The <see cref="StoredStatePage.Next"/> of the page before. Null, the default: the first page.</param>
    /// <param name="limit">
    /// How many states the page has at most, from 1 to <see cref="PageStatesMax"/>; it has fewer where they are more than 8 MiB together.
    /// Default: 50.
    /// </param>
    /// <param name="cancellationToken">Cancels the reading.</param>
    /// <remarks>
    /// Each page lists the names of all states: about a second for a million on a local disk. To read all states, use
    /// <see cref="ProjectionCollection.Get"/>.
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// The beginning of keys is not valid Unicode, or <paramref name="after"/> is not that of a page.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">The limit is out of range.</exception>
    /// <exception cref="NotSupportedException">The projection keeps rows in a database, and no states.</exception>
    public Task<StoredStatePage> ReadStatePageAsync(string keyStart = "", string? after = null, int limit = 50,
        CancellationToken cancellationToken = default)
    {
        _ = KeyFileName.StartOf(keyStart);
        if (after is not null && !KeyFileName.CanBe(after))
            throw new ArgumentException($"{NameRules.Quote(after)} is not where a page of states ends.", nameof(after));
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(limit, PageStatesMax);
        return projection.AskAsync(reader => reader.ReadPageAsync(keyStart, after, limit, cancellationToken), cancellationToken);
    }

    /// <summary>Reads the state of a key as it is stored, as JSON: personal values stay encrypted. Null when the key has no state.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The key is empty or not valid Unicode.</exception>
    /// <exception cref="NotSupportedException">The projection keeps rows in a database, and no states.</exception>
    public Task<ProjectionEntry<byte[]>?> GetStoredStateAsync(string key, CancellationToken cancellationToken = default)
    {
        KeyFileName.Check(key);
        return projection.AskAsync(reader => reader.ReadStoredAsync(key, cancellationToken), cancellationToken);
    }
}
