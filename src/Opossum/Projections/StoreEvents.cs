namespace Opossum.Projections;

/// <summary>Single events of the store.</summary>
internal static class StoreEvents
{
    /// <summary>The id of the event at a position; null when there is none.</summary>
    public static async ValueTask<Guid?> FindIdAsync(IEventStore store, long position, CancellationToken cancellationToken)
    {
        await foreach (var e in store.ReadAsync(Query.All, new ReadOptions { From = position, Limit = 1 }).WithCancellation(cancellationToken).ConfigureAwait(false))
            return e.Position == position ? e.Id : null;
        return null;
    }

    /// <summary>Whether a checkpoint is one of this store: somebody may have put another copy of the events in its place.</summary>
    public static async ValueTask<bool> FitsAsync(IEventStore store, Checkpoint checkpoint, CancellationToken cancellationToken) =>
        checkpoint.Position == 0 || await FindIdAsync(store, checkpoint.Position, cancellationToken).ConfigureAwait(false) == checkpoint.EventId;
}
