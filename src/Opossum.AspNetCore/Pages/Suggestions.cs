namespace Opossum.AspNetCore.Pages;

/// <summary>
/// The event types and tag keys that a page suggests, from the store's index. Counting them takes time in a large store, so they are kept for a
/// while, and no page waits long for them.
/// </summary>
internal sealed class Suggestions
{
    private static readonly TimeSpan kept = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan patience = TimeSpan.FromMilliseconds(50);

    private readonly Lock gate = new();
    private StoreStatus? known;
    private Task<StoreStatus>? counting;
    private long countedAt;

    /// <summary>The status that was counted last; null: none yet, and the counting takes longer than a page waits.</summary>
    public async Task<StoreStatus?> GetAsync(IFileSystemEventStore store, CancellationToken cancellationToken)
    {
        var current = Count(store);
        if (current is null)
            return known;
        try
        {
            return await current.WaitAsync(patience, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            return known;
        }
    }

    // One counting at a time, however many visitors there are. Null: what is known is recent.
    private Task<StoreStatus>? Count(IFileSystemEventStore store)
    {
        lock (gate)
        {
            if (counting is { IsCompleted: false })
                return counting;
            if (known is not null && TimeProvider.System.GetElapsedTime(countedAt) < kept)
                return null;
            return counting = Task.Run(() => CountAsync(store));
        }
    }

    private async Task<StoreStatus> CountAsync(IFileSystemEventStore store)
    {
        var status = await store.GetStatusAsync().ConfigureAwait(false);
        lock (gate)
            (known, countedAt) = (status, TimeProvider.System.GetTimestamp());
        return status;
    }
}
