using System.Runtime.CompilerServices;
using System.Text.Json.Nodes;
using Opossum.Following;
using Opossum.Projections;
using Opossum.Projections.Reading;
using Opossum.Serialization;

namespace Opossum;

/// <summary>
/// The projections whose states are in a store's folder, for a process that does not run them, such as a tool: it reads their status and
/// their states, and sends requests to the process that runs them.
/// </summary>
/// <example><code>
/// foreach (var name in await store.StoredProjections.ListAsync())
///     Console.WriteLine($"{name} is at {(await store.StoredProjections.GetAsync(name)).Position}");
/// </code></example>
public sealed class StoredProjections
{
    /// <summary>The maximum number of states of a page: 1,000.</summary>
    public const int PageStatesMax = 1_000;

    private readonly Func<ProjectionHost> current;

    /// <param name="current">The environment, which changes when a host opens the store again.</param>
    internal StoredProjections(Func<ProjectionHost> current) => this.current = current;

    /// <summary>Lists the names of the projections that have states, or states that are being built, in ordinal order.</summary>
    /// <param name="cancellationToken">Cancels the call before it reads.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public Task<IReadOnlyList<string>> ListAsync(CancellationToken cancellationToken = default) =>
        ListAsync(current(), cancellationToken);

    /// <summary>Reads the status of a projection.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The store has no projection of that name.</exception>
    /// <exception cref="ProjectionException">A file of the projection is damaged; the process that leads it rebuilds the states.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async Task<StoredProjection> GetAsync(string name, CancellationToken cancellationToken = default) =>
        await (await FindAsync(name, cancellationToken).ConfigureAwait(false)).ReadAsync(cancellationToken).ConfigureAwait(false);

    /// <summary>Reads all states of a projection, in no particular order, as JSON.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="ArgumentException">The store has no projection of that name.</exception>
    /// <exception cref="ProjectionException">A file of the projection is damaged; the process that leads it rebuilds the states.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async IAsyncEnumerable<ProjectionEntry<JsonNode>> ReadStatesAsync(string name,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var projection = await FindAsync(name, cancellationToken).ConfigureAwait(false);
        await foreach (var state in projection.States.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            yield return state;
    }

    /// <summary>Reads the state of a key as JSON; null when the key has no state.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The store has no projection of that name, or the key is empty.</exception>
    /// <exception cref="ProjectionException">A file of the projection is damaged; the process that leads it rebuilds the states.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async Task<JsonNode?> GetStateAsync(string name, string key, CancellationToken cancellationToken = default)
    {
        KeyFileName.Check(key);
        var projection = await FindAsync(name, cancellationToken).ConfigureAwait(false);
        return await projection.States.GetAsync(key, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Reads a page of a projection's states as they are stored: personal values stay encrypted. The states are in the order of their keys, of which
    /// characters other than <c>a-z</c>, <c>0-9</c>, <c>-</c> and <c>_</c> come first, and long keys last among those with the same beginning.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="keyStart">What the keys start with. Empty, the default: all keys.</param>
    /// <param name="after">The <see cref="StoredStatePage.Next"/> of the page before. Null, the default: the first page.</param>
    /// <param name="limit">
    /// How many states the page has at most, from 1 to <see cref="PageStatesMax"/>; it has fewer where they are more than 8 MiB together.
    /// Default: 50.
    /// </param>
    /// <param name="cancellationToken">Cancels the reading.</param>
    /// <remarks>
    /// Each page lists the names of all states: about a second for a million on a local disk. To read all states, use
    /// <see cref="ReadStatesAsync"/>.
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// The store has no projection of that name, the beginning of keys is not valid Unicode, or <paramref name="after"/> is not that of a page.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">The limit is out of range.</exception>
    /// <exception cref="ProjectionException">A file of the projection is damaged; the process that leads it rebuilds the states.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async Task<StoredStatePage> ReadStatePageAsync(string name, string keyStart = "", string? after = null, int limit = 50,
        CancellationToken cancellationToken = default)
    {
        _ = KeyFileName.StartOf(keyStart);
        if (after is not null && !KeyFileName.CanBe(after))
            throw new ArgumentException($"{NameRules.Quote(after)} is not where a page of states ends.", nameof(after));
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(limit, PageStatesMax);
        var projection = await FindAsync(name, cancellationToken).ConfigureAwait(false);
        return await projection.ReadPageAsync(keyStart, after, limit, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Reads the state of a key as it is stored: personal values stay encrypted. Null when the key has no state.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The store has no projection of that name, or the key is empty or not valid Unicode.</exception>
    /// <exception cref="ProjectionException">A file of the projection is damaged; the process that leads it rebuilds the states.</exception>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public async Task<StoredProjectionState?> GetStoredStateAsync(string name, string key, CancellationToken cancellationToken = default)
    {
        KeyFileName.Check(key);
        var projection = await FindAsync(name, cancellationToken).ConfigureAwait(false);
        return await projection.ReadStoredAsync(key, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Requests a rebuild of a projection's states from all events, and does not wait for it. The process that leads the projection carries it
    /// out; if none does now, the one that leads it next.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written.</param>
    /// <exception cref="ArgumentException">The store has no projection of that name.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RequestRebuildAsync(string name, CancellationToken cancellationToken = default) =>
        RequestAsync(name, new LeaderRequest(Guid.NewGuid(), RequestKind.Rebuild), cancellationToken);

    /// <summary>Requests that the event at which a projection has stopped is tried again; as <see cref="RequestRebuildAsync"/>.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written.</param>
    /// <exception cref="ArgumentException">The store has no projection of that name.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RequestRetryAsync(string name, CancellationToken cancellationToken = default) =>
        RequestAsync(name, new LeaderRequest(Guid.NewGuid(), RequestKind.Retry), cancellationToken);

    /// <summary>
    /// Requests that the event at which a projection has stopped is skipped permanently; as <see cref="RequestRebuildAsync"/>.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="position">The position at which it has stopped.</param>
    /// <param name="reason">The reason, for the record, at most 4,000 characters.</param>
    /// <param name="cancellationToken">Cancels the call before the request is written.</param>
    /// <exception cref="ArgumentException">The store has no projection of that name, or the reason is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">The projection has not stopped at that position.</exception>
    /// <exception cref="StoreIOException">The operating system refused the write; no request was stored.</exception>
    /// <exception cref="NotSupportedException">The store was opened with <see cref="OpossumOptions.ReadOnly"/>.</exception>
    public Task RequestSkipAsync(string name, long position, string reason, CancellationToken cancellationToken = default) =>
        RequestAsync(name, LeaderRequest.Skip(position, reason), cancellationToken);

    private async Task RequestAsync(string name, LeaderRequest request, CancellationToken cancellationToken)
    {
        var projection = await FindAsync(name, cancellationToken).ConfigureAwait(false);
        await projection.Requests.WriteAsync(request, cancellationToken).ConfigureAwait(false);
    }

    private static Task<IReadOnlyList<string>> ListAsync(ProjectionHost host, CancellationToken cancellationToken) =>
        StateWork.Of(host, "of this store").DoAsync(() => StoredProjectionReader.List(host), cancellationToken);

    // A name that is not listed is no folder's name, so nothing is read or written outside the projections' folder.
    private async Task<StoredProjectionReader> FindAsync(string name, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(name);
        var host = current();
        var names = await ListAsync(host, cancellationToken).ConfigureAwait(false);
        return names.Contains(name, StringComparer.Ordinal)
            ? new StoredProjectionReader(host, name)
            : throw new ArgumentException($"The store in {host.StoreRoot} has no projection {NameRules.Quote(name)}. "
                + $"{(names.Count == 0 ? "It has none." : $"It has: {string.Join(", ", names)}.")}", nameof(name));
    }
}
