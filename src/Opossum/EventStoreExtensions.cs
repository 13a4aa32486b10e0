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
        return store.AppendAsync([newEvent], condition, cancellationToken);
    }

    /// <summary>Reads the last event that matches a query; null when no event matches.</summary>
    /// <param name="store">The store.</param>
    /// <param name="query">The query that selects the events.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later read may succeed.</exception>
    /// <exception cref="StoreDamagedException">The event cannot be read.</exception>
    public static async Task<SequencedEvent?> ReadLastAsync(this IEventStore store, Query query, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        await foreach (var last in store.ReadAsync(query, new ReadOptions { Backwards = true, Limit = 1 }, cancellationToken).ConfigureAwait(false))
            return last;
        return null;
    }

    /// <summary>Reports whether any event matches a query.</summary>
    /// <param name="store">The store.</param>
    /// <param name="query">The query that selects the events.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    /// <exception cref="StoreDamagedException">The event cannot be read.</exception>
    public static async Task<bool> ExistsAsync(this IEventStore store, Query query, CancellationToken cancellationToken = default) =>
        await store.ReadLastAsync(query, cancellationToken).ConfigureAwait(false) is not null;
}
