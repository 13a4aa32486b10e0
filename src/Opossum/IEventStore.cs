namespace Opossum;

/// <summary>An event store: appends guarded by conditions, and reads by query, in the order of positions.</summary>
/// <remarks>
/// Positions begin with 1, increase by 1 and have no gap. All members may be called from any thread at the same time.
/// </remarks>
public interface IEventStore
{
    /// <summary>Appends events, all of them or none, unless the condition fails.</summary>
    /// <param name="events">At least one event.</param>
    /// <param name="condition">What must not have happened; null, the default: append in any case.</param>
    /// <param name="cancellationToken">Counts until the append's turn has come; from then on the true outcome is told.</param>
    /// <returns>The positions the events got. By default they are on the disk, flushed, when the task completes.</returns>
    /// <exception cref="AppendConditionFailedException">An event matches the condition; nothing was appended.</exception>
    /// <exception cref="ArgumentException">An event is not allowed, or a CLR type that the condition's query was made of is not registered; nothing was appended.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process kept the store's lock too long; nothing was appended.</exception>
    /// <exception cref="StoreWriteException">The disk refused the write; nothing was appended.</exception>
    /// <exception cref="StoreFaultedException">A flush failed, now or before; the exception says what became of the append.</exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other; nothing was appended.</exception>
    Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null, CancellationToken cancellationToken = default);

    /// <summary>Reads the events that match a query, in the order of positions.</summary>
    /// <param name="query">Which events; <see cref="Query.All"/> for every one.</param>
    /// <param name="options">From where, up to where, which way and how many; null, the default: all, forwards.</param>
    /// <param name="cancellationToken">Ends each enumeration, as the token that an enumeration is given does.</param>
    /// <returns>The events up to the head at the moment the enumeration begins; later ones are not part of it.</returns>
    /// <exception cref="ArgumentException">A CLR type that the query was made of is not registered with the store.</exception>
    /// <exception cref="StoreReadException">While enumerating: the disk or the share cannot be read; reading again may succeed.</exception>
    /// <exception cref="StoreDamagedException">While enumerating: an event cannot be read.</exception>
    EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>The position of the last event; 0 when there is none.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    Task<long> GetHeadAsync(CancellationToken cancellationToken = default);

    /// <summary>What the store is, what it holds and how it is doing: for operators, dashboards and support.</summary>
    /// <param name="withSizes">
    /// Whether the files are measured too. That opens every file of the store to see its length, some 10 µs for each on a local disk under Linux, and far longer
    /// on a share. Default: false.
    /// </param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <remarks>
    /// The counts come from the index in memory: it goes once over all distinct tags and the positions of the keys that it lists, some
    /// milliseconds for a hundred thousand tags. It holds up neither appends nor reads.
    /// </remarks>
    /// <exception cref="StoreReadException">The disk or the share cannot be read; asking again may succeed.</exception>
    Task<StoreStatus> GetStatusAsync(bool withSizes = false, CancellationToken cancellationToken = default);

    /// <summary>
    /// Follows the events that match a query, each once and in the order of positions: first those that are there, then each as soon as
    /// it is appended, by whichever process. It ends by cancellation, when the caller leaves the loop, or by an exception, never by itself.
    /// </summary>
    /// <param name="query">Which events; <see cref="Query.All"/> for every one.</param>
    /// <param name="after">Only events behind this position; 0, the default: all. It may lie beyond the head.</param>
    /// <param name="cancellationToken">Ends the subscription, also between two events that are there.</param>
    /// <returns>The events. Each enumeration is a subscription of its own, from <paramref name="after"/> on.</returns>
    /// <remarks>
    /// A subscription asks the store for events when it is asked for one. So a slow caller holds nobody up, and none waits while events
    /// are read. After an exception, subscribe again after the last position that was dealt with: see docs/subscriptions.md.
    /// </remarks>
    /// <exception cref="ArgumentException">A CLR type that the query was made of is not registered with the store.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="after"/> is negative.</exception>
    /// <exception cref="OperationCanceledException">While enumerating: it was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">While enumerating: the store was closed.</exception>
    /// <exception cref="StoreDamagedException">While enumerating: an event cannot be read.</exception>
    /// <exception cref="StoreReadException">While enumerating: the disk or the share cannot be read; subscribing again may succeed.</exception>
    IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default);
}
