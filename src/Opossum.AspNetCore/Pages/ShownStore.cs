namespace Opossum.AspNetCore.Pages;

/// <summary>The store that a request's page shows, while it shows it.</summary>
/// <param name="InFolder">What has its status, projections and reactions; null: it is not known to have a folder.</param>
/// <param name="Suggestions">Its types and tag keys.</param>
/// <param name="Handle">What keeps it open; null: the host.</param>
internal sealed record ShownStore(IEventStore Store, IFileSystemEventStore? InFolder, Suggestions Suggestions,
    Func<CancellationToken, Task<StoreHealthReport>> ReadHealthAsync, EventStoreHandle? Handle = null) : IDisposable
{
    public void Dispose() => Handle?.Dispose();
}
