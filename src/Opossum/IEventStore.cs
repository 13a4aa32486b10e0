namespace Opossum;

/// <summary>An event store: appends events guarded by conditions, and reads events by query, in the order of positions.</summary>
/// <remarks>
/// Positions start at 1, increase by 1 and have no gap. All members are thread-safe.
/// </remarks>
public interface IEventStore
{
    /// <summary>Appends all events or none; fails if the condition fails.</summary>
    /// <param name="events">The events: at least one.</param>
    /// <param name="condition">The condition that guards the append. Null, the default: the append is unconditional.</param>
    /// <param name="cancellationToken">Honoured until the append starts; after that the call reports the real outcome.</param>
    /// <returns>The positions of the events. By default the events are flushed to the disk when the task completes.</returns>
    /// <exception cref="AppendConditionFailedException">An event matches the condition; nothing was appended.</exception>
    /// <exception cref="ArgumentException">
    /// An event is not allowed, or the condition's query names a CLR type that is not registered; nothing was appended.
    /// </exception>
    /// <exception cref="StoreLockTimeoutException">
    /// Another process held the store's lock longer than <see cref="OpossumOptions.LockTimeout"/>; nothing was appended.
    /// </exception>
    /// <exception cref="StoreIOException">The disk refused the write; nothing was appended.</exception>
    /// <exception cref="StoreFaultedException">
    /// A flush failed, in this append or an earlier one; <see cref="StoreFaultedException.Outcome"/> reports whether the events are stored.
    /// </exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other; nothing was appended.</exception>
    /// <exception cref="PersonalDataException">
    /// Personal data or a pseudonym cannot be encrypted: a key or the master key is missing, or the person was forgotten; nothing was appended.
    /// </exception>
    Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null, CancellationToken cancellationToken = default);

    /// <summary>Reads the events that match a query, in the order of positions.</summary>
    /// <param name="query">The query that selects the events; <see cref="Query.All"/> selects every event.</param>
    /// <param name="options">The range, direction and limit of the read. Null, the default: all events, forwards.</param>
    /// <param name="cancellationToken">Cancels every enumeration, as does the token passed to an enumeration.</param>
    /// <returns>The matching events up to the head at the start of the enumeration; events appended later are not included.</returns>
    /// <exception cref="ArgumentException">The query names a CLR type that is not registered with the store.</exception>
    /// <exception cref="StoreIOException">While enumerating: the disk or the share cannot be read; a later read may succeed.</exception>
    /// <exception cref="StoreDamagedException">While enumerating: an event cannot be read.</exception>
    /// <exception cref="PersonalDataException">
    /// The query has a pseudonym, and a key or the master key is missing. Personal data is decrypted later, at the first use of an event's
    /// <see cref="SequencedEvent.Json"/> or <see cref="SequencedEvent.Data"/>.
    /// </exception>
    EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Reads the head: the position of the last event, 0 when the store is empty.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    Task<long> GetHeadAsync(CancellationToken cancellationToken = default);

    /// <summary>
    /// Follows the events that match a query, each once and in the order of positions: first the existing events, then each new event as soon as
    /// any process appends it. It ends on cancellation, when the caller leaves the loop, or with an exception, never by itself.
    /// </summary>
    /// <param name="query">The query that selects the events; <see cref="Query.All"/> selects every event.</param>
    /// <param name="after">The position after which the subscription starts. 0, the default: all events. A position beyond the head is
    /// allowed.</param>
    /// <param name="cancellationToken">Cancels the subscription, also between two existing events.</param>
    /// <returns>The events. Each enumeration is a separate subscription that starts after <paramref name="after"/>.</returns>
    /// <remarks>
    /// A subscription reads from the store only when the caller requests the next event, so a slow caller delays neither appends nor other
    /// subscriptions. After an exception, subscribe again after the last position that was handled: see docs/subscriptions.md.
    /// </remarks>
    /// <exception cref="ArgumentException">The query names a CLR type that is not registered with the store.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="after"/> is negative.</exception>
    /// <exception cref="OperationCanceledException">While enumerating: the subscription was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">While enumerating: the store was closed.</exception>
    /// <exception cref="StoreDamagedException">While enumerating: an event cannot be read.</exception>
    /// <exception cref="StoreIOException">While enumerating: the disk or the share cannot be read; a later subscription may succeed.</exception>
    /// <exception cref="PersonalDataException">While enumerating: the query has a pseudonym, and a key or the master key is missing.</exception>
    IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default);
}
