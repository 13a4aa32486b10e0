using Microsoft.Extensions.DependencyInjection;

namespace Opossum.DependencyInjection;

/// <summary>The states of a projection of a host: what is injected, before and after the projection is there.</summary>
internal sealed class HostedProjectionStore<TState>(HostedProjections projections, [ServiceKey] object? key = null) : IProjectionStore<TState>
    where TState : class
{
    private IProjectionStore<TState> Found => field ??= projections.Find<TState>(key);

    public Task<TState?> GetAsync(string key, CancellationToken cancellationToken = default) => Found.GetAsync(key, cancellationToken);

    public Task<IReadOnlyDictionary<string, TState>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default) => Found.GetManyAsync(keys, cancellationToken);

    public IAsyncEnumerable<ProjectionEntry<TState>> ReadAllAsync(CancellationToken cancellationToken = default) => Found.ReadAllAsync(cancellationToken);

    public IAsyncEnumerable<ProjectionEntry<TState>> FindAsync(IEnumerable<Tag> tags, CancellationToken cancellationToken = default) => Found.FindAsync(tags, cancellationToken);

    public Task WaitForAsync(long position, CancellationToken cancellationToken = default) => Found.WaitForAsync(position, cancellationToken);

    public Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default) => Found.GetStatusAsync(cancellationToken);
}
