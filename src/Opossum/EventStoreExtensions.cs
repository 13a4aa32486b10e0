namespace Opossum;

/// <summary>Shorter calls for common uses of <see cref="IEventStore"/>.</summary>
public static class EventStoreExtensions
{
    /// <summary>Appends one event, unless the condition fails.</summary>
    /// <inheritdoc cref="IEventStore.AppendAsync"/>
    /// <param name="store">The store.</param>
    /// <param name="newEvent">The event.</param>
    /// <param name="condition">The condition that guards the append. Null, the default: the append is unconditional.</param>
    /// <param name="cancellationToken">Honoured until the append starts; after that the call reports the real outcome.</param>
    public static Task<AppendResult> AppendAsync(this IEventStore store, NewEvent newEvent, AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(newEvent);
        // An array: the type of a collection expression would be compiled in each fresh process.
        NewEvent[] events = [newEvent];
        return store.AppendAsync(events, condition, cancellationToken);
    }

    /// <summary>Reads the last event that matches a query; null when no event matches.</summary>
    /// <param name="store">The store.</param>
    /// <param name="query">The query that selects the events.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later read may succeed.</exception>
    /// <exception cref="StoreDamagedException">The event cannot be read.</exception>
    /// <exception cref="PersonalDataException">The query has a pseudonym, and a key or the master key is missing.</exception>
    public static async Task<SequencedEvent?> ReadLastAsync(this IEventStore store, Query query, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        await foreach (var last in store.ReadAsync(query, new ReadOptions { Backwards = true, Limit = 1 }, cancellationToken).ConfigureAwait(false))
            return last;
        return null;
    }

    /// <summary>Finds the event with an id; null when no event has it.</summary>
    /// <param name="store">The store.</param>
    /// <param name="id">The id.</param>
    /// <param name="cancellationToken">Cancels the search.</param>
    /// <remarks>
    /// There is no index of ids. An id that a <see cref="NewEvent"/> was given by default states its time (UUID version 7, RFC 9562): the event is
    /// looked up by that, which takes about ten short reads in a million events. All events are read, the newest first, for an id of another
    /// version, for an event that was stored long after its id was made, such as one that was imported, and to find out that no event has the id. If
    /// you choose ids yourself and look for them, add a tag.
    /// </remarks>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    /// <exception cref="StoreDamagedException">An event cannot be read.</exception>
    public static Task<SequencedEvent?> FindAsync(this IEventStore store, Guid id, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        return store is IIdSearch search ? search.FindByIdAsync(id, cancellationToken) : new EventSearch(store, id, cancellationToken).RunAsync();
    }

    /// <summary>Reports whether any event matches a query.</summary>
    /// <param name="store">The store.</param>
    /// <param name="query">The query that selects the events.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    /// <exception cref="StoreDamagedException">The event cannot be read.</exception>
    /// <exception cref="PersonalDataException">The query has a pseudonym, and a key or the master key is missing.</exception>
    public static async Task<bool> ExistsAsync(this IEventStore store, Query query, CancellationToken cancellationToken = default) =>
        await store.ReadLastAsync(query, cancellationToken).ConfigureAwait(false) is not null;
}
