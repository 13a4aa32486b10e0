namespace Opossum;

/// <summary>Conveniences over the methods of <see cref="IEventStore"/>.</summary>
public static class EventStoreExtensions
{
    /// <summary>Appends one event, unless the condition fails.</summary>
    /// <inheritdoc cref="IEventStore.AppendAsync"/>
    /// <param name="store">The store.</param>
    /// <param name="newEvent">The event.</param>
    /// <param name="condition">What must not have happened; null, the default: append in any case.</param>
    /// <param name="cancellationToken">Counts until the append's turn has come; from then on the true outcome is told.</param>
    public static Task<AppendResult> AppendAsync(this IEventStore store, NewEvent newEvent, AppendCondition? condition = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(newEvent);
        return store.AppendAsync([newEvent], condition, cancellationToken);
    }

    /// <summary>The last event that matches a query; null when none does.</summary>
    /// <param name="store">The store.</param>
    /// <param name="query">Which events.</param>
    /// <param name="cancellationToken">Ends the read.</param>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; reading again may succeed.</exception>
    /// <exception cref="StoreDamagedException">The event cannot be read.</exception>
    public static async Task<SequencedEvent?> ReadLastAsync(this IEventStore store, Query query, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        await foreach (var last in store.ReadAsync(query, new ReadOptions { Backwards = true, Limit = 1 }, cancellationToken).ConfigureAwait(false))
            return last;
        return null;
    }

    /// <summary>Whether any event matches a query.</summary>
    /// <param name="store">The store.</param>
    /// <param name="query">Which events.</param>
    /// <param name="cancellationToken">Ends the read.</param>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    /// <exception cref="StoreDamagedException">The event cannot be read.</exception>
    public static async Task<bool> ExistsAsync(this IEventStore store, Query query, CancellationToken cancellationToken = default) =>
        await store.ReadLastAsync(query, cancellationToken).ConfigureAwait(false) is not null;
}
