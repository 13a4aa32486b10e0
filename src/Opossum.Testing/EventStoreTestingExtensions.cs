using Opossum.DependencyInjection;

namespace Opossum.Testing;

/// <summary>Calls on a store for tests.</summary>
public static class EventStoreTestingExtensions
{
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Waits until the projections and the subscriptions of a store object have seen every event: what was appended before, and what they append
    /// themselves in the meantime. A test then reads the states, or judges the effects of handlers, without sleeping.
    /// </summary>
    /// <param name="store">A store that this package or <see cref="FileSystemEventStore.OpenAsync"/> opened, or that a host injects.</param>
    /// <param name="timeout">How long to wait, in real time. Null, the default: 10 s.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <remarks>
    /// A subscription has seen an event when its caller requests the next one. Only subscriptions whose first event was requested before the call
    /// are waited for.
    /// </remarks>
    /// <exception cref="ArgumentException">The store is of another type.</exception>
    /// <exception cref="ProjectionException">A projection has stopped at an event.</exception>
    /// <exception cref="TestFailedException">One of them has not seen every event within the time.</exception>
    public static Task WaitForAllAsync(this IEventStore store, TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        var opened = store switch
        {
            FileSystemEventStore own => own,
            HostedEventStore hosted => hosted.Opening.Store,
            _ => throw new ArgumentException($"{store.GetType()} is not a store that a test can wait for. Pass the store that it wraps.",
                nameof(store)),
        };
        return opened.WaitForReadersAsync(needsSubscription: false, timeout ?? patience, cancellationToken);
    }

    /// <summary>The same for a subscriber, which has seen every event when a subscription of it waits for the next one.</summary>
    internal static Task WaitForSubscriberAsync(this FileSystemEventStore store, CancellationToken cancellationToken) =>
        store.WaitForReadersAsync(needsSubscription: true, patience, cancellationToken);

    private static async Task WaitForReadersAsync(this FileSystemEventStore store, bool needsSubscription, TimeSpan timeout,
        CancellationToken cancellationToken)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        ending.CancelAfter(timeout);
        try
        {
            await store.WaitForReadersAsync(needsSubscription, ending.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
            throw new TestFailedException($"After {timeout.TotalSeconds} s, a projection or a subscription has not seen the events up "
                + $"to position {head}. A handler takes longer, waits for something, or does not request the next event, or no subscription is "
                + "active.");
        }
    }
}
