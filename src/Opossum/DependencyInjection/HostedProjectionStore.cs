using Microsoft.Extensions.DependencyInjection;

namespace Opossum.DependencyInjection;

/// <summary>The states of a projection of a host: what is injected, before and after the projection is there.</summary>
internal sealed class HostedProjectionStore<TState>(HostedProjections projections, [ServiceKey] object? key = null) : IProjectionStore<TState>
    where TState : class
{
    private IProjectionStore<TState> Found => field ??= projections.Find<TState>(key);

    public ValueTask<TState?> GetAsync(string key, CancellationToken cancellationToken = default) => Found.GetAsync(key, cancellationToken);

    public ValueTask<IReadOnlyDictionary<string, TState>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default) => Found.GetManyAsync(keys, cancellationToken);

    public IAsyncEnumerable<ProjectionState<TState>> ReadAllAsync(CancellationToken cancellationToken = default) => Found.ReadAllAsync(cancellationToken);

    public IAsyncEnumerable<ProjectionState<TState>> FindAsync(IEnumerable<Tag> tags, CancellationToken cancellationToken = default) => Found.FindAsync(tags, cancellationToken);

    public ValueTask WaitForAsync(long position, CancellationToken cancellationToken = default) => Found.WaitForAsync(position, cancellationToken);

    public ValueTask<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default) => Found.GetStatusAsync(cancellationToken);
}
