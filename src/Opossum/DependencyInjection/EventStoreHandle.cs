using Microsoft.Extensions.Diagnostics.HealthChecks;
using Opossum.DependencyInjection;

namespace Opossum;

/// <summary>The use of a store of <see cref="IEventStores"/>, which stays open until the handle is disposed.</summary>
public sealed class EventStoreHandle : IDisposable
{
    private readonly LeasedStore leased;
    private Action? end;

    internal EventStoreHandle(LeasedStore leased, Action end) => (this.leased, this.end) = (leased, end);

    /// <summary>The store's name.</summary>
    public string Name => leased.Name;

    /// <summary>
    /// The store, with its projections and reactions. Do not use it after the handle is disposed: it may be closed at any moment then.
    /// </summary>
    public IFileSystemEventStore Store => leased.Store;

    /// <summary>The store's personal data. Do not use it after the handle is disposed.</summary>
    public IPersonalData PersonalData => leased.Store;

    /// <summary>
    /// Judges the health of the store, its projections and its reactions, with the data of the check of a single store (<c>AddOpossum</c>).
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="StoreIOException">The disk or the share cannot be read; a later call may succeed.</exception>
    public Task<HealthCheckResult> CheckHealthAsync(CancellationToken cancellationToken = default) =>
        StoreHealth.JudgeAsync(leased.Store, leased.Runner, HealthStatus.Unhealthy, cancellationToken, reactions: leased.Reactions);

    /// <summary>Ends the use. Further calls do nothing.</summary>
    public void Dispose() => Interlocked.Exchange(ref end, null)?.Invoke();
}
