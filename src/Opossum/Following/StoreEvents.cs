namespace Opossum.Following;

/// <summary>Reads single events of the store.</summary>
internal static class StoreEvents
{
    /// <summary>Reads the id of the event at a position; null when there is none.</summary>
    public static async ValueTask<Guid?> FindIdAsync(IEventStore store, long position, CancellationToken cancellationToken) =>
        (await FindAsync(store, position, cancellationToken).ConfigureAwait(false))?.Id;

    /// <summary>Reads the event at a position; null when there is none.</summary>
    public static async ValueTask<SequencedEvent?> FindAsync(IEventStore store, long position, CancellationToken cancellationToken)
    {
        if (position == 0)
            return null;
        var one = new ReadOptions { After = position - 1, UpTo = position };
        await foreach (var e in store.ReadAsync(Query.All, one, cancellationToken).ConfigureAwait(false))
            return e;
        return null;
    }

    /// <summary>
    /// Reports whether the store still has that event at its position. One that is damaged is taken for it: nothing says that it is not.
    /// </summary>
    public static async ValueTask<bool> HasAsync(FollowerHost host, EventAt e, CancellationToken cancellationToken)
    {
        if (e.Position == 0)
            return true;
        try
        {
            var id = await FindIdAsync(host.Store, e.Position, cancellationToken).ConfigureAwait(false);
            if (id is null && host.Volume.ViewMayBeStale)
            {
                // Another machine has read the event, and this one's view of the store may be older.
                host.CatchUp();
                id = await FindIdAsync(host.Store, e.Position, cancellationToken).ConfigureAwait(false);
            }
            return id == e.Id;
        }
        catch (StoreDamagedException)
        {
            return true;
        }
    }
}
