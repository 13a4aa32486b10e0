namespace Opossum;

/// <summary>
/// Event stores on demand, each in a folder of its name below one root, such as a store for each tenant. A store is opened at its first use and
/// closed when nobody has used it for a while.
/// </summary>
/// <remarks>Added to a host by <c>services.AddOpossumStores(...)</c>. All members are thread-safe.</remarks>
/// <example><code>
/// app.MapPost("/{shop}/orders", async (string shop, IEventStores stores, CancellationToken cancellationToken) =&gt;
/// {
///     using var handle = await stores.OpenAsync(shop, cancellationToken: cancellationToken);
///     await handle.Store.AppendAsync(new NewEvent(new OrderPlaced("o1")), cancellationToken: cancellationToken);
/// });
/// </code></example>
public interface IEventStores
{
    /// <summary>Returns a handle of a store, and opens the store unless it is open. It stays open until the handle is disposed.</summary>
    /// <param name="name">
    /// The store's name, which is also its folder's name: 1 to 63 of <c>a-z</c>, <c>0-9</c> and <c>-</c>, not starting with <c>-</c>, and not a
    /// Windows device name. So it cannot lead out of the root, and is the same name on every file system.
    /// </param>
    /// <param name="create">
    /// Whether a store that is missing is created. Null, the default: as <see cref="OpossumOptions.CreateIfMissing"/> says. Pass false, or set that
    /// option to false, for names from requests.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait; an opening that has started continues.</param>
    /// <returns>The handle; dispose it after use, at the latest when the request ends.</returns>
    /// <exception cref="ArgumentException">The name is not allowed.</exception>
    /// <exception cref="StoreOpenException">
    /// The store is missing and not to be created, or cannot be opened; or as many stores are in use as may be open, and none was returned within
    /// <see cref="OpossumStoresOptions.WaitTimeout"/>; or it is being closed, and a handler that does not return keeps it from that; or it has
    /// faulted, was closed since, and <see cref="OpossumAdvancedOptions.ReopenAfterFault"/> is false. Except after the last, the next call tries
    /// again.
    /// </exception>
    /// <exception cref="EventStoreException">
    /// The opening failed in another way: see <see cref="FileSystemEventStore.OpenAsync(OpossumOptions, CancellationToken)"/>.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The host has stopped.</exception>
    Task<EventStoreHandle> OpenAsync(string name, bool? create = null, CancellationToken cancellationToken = default);

    /// <summary>Lists the names of all stores below the root, whether open or not, in ordinal order.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="StoreIOException">The root cannot be read; a later call may succeed.</exception>
    Task<IReadOnlyList<string>> ListAsync(CancellationToken cancellationToken = default);
}
