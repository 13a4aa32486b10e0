using Opossum;

namespace CourseManagement;

/// <summary>Lets a client see its own writes, although the lists follow the events with a short delay.</summary>
internal static class ReadYourWrites
{
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(5);

    /// <summary>Waits until a read model includes the event at the position that a command returned.</summary>
    /// <param name="models">The read model.</param>
    /// <param name="store">The store.</param>
    /// <param name="after">The position; null to not wait.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RefusedException">The store has no such event.</exception>
    /// <exception cref="TimeoutException">The read model did not reach the position in time.</exception>
    public static async Task CatchUpAsync<TState>(this IProjectionStore<TState> models, IEventStore store, long? after,
        CancellationToken cancellationToken)
        where TState : class
    {
        if (after is not { } position)
            return;
        await store.CheckPositionAsync(position, cancellationToken);
        await models.WaitForAsync(position, cancellationToken).WaitAsync(patience, cancellationToken);
    }

    /// <summary>Refuses a position at which the store has no event, which no wait would reach; null and 0 are allowed.</summary>
    /// <exception cref="RefusedException">The store has no such event.</exception>
    public static async Task CheckPositionAsync(this IEventStore store, long? after, CancellationToken cancellationToken)
    {
        if (after is { } position && await store.GetHeadAsync(cancellationToken) is var head && (position < 0 || position > head))
            throw RefusedException.NoSuchPosition(position, head);
    }
}
