namespace Opossum.AspNetCore.Pages;

/// <summary>The store that a request's page shows, while it shows it.</summary>
/// <param name="Store">The store.</param>
/// <param name="InFolder">What says its status; null: it is not known to have a folder.</param>
/// <param name="Projections">The projections in its folder; null: it is not known to have a folder.</param>
/// <param name="Reactions">The reactions that have begun in its folder; null: it is not known to have a folder.</param>
/// <param name="Suggestions">Its types and tag keys.</param>
/// <param name="ReadHealthAsync">Reads its health.</param>
/// <param name="Lease">What keeps it open; null: the host.</param>
internal sealed record ShownStore(IEventStore Store, IFileSystemEventStore? InFolder, StoredProjections? Projections, StoredReactions? Reactions,
    Suggestions Suggestions, Func<CancellationToken, Task<StoreHealthReport>> ReadHealthAsync, EventStoreHandle? Lease = null) : IDisposable
{
    public void Dispose() => Lease?.Dispose();
}
