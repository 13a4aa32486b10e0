using Microsoft.Extensions.DependencyInjection;

namespace Opossum.DependencyInjection;

/// <summary>The injected states of a host's projection, usable before the projection starts.</summary>
internal sealed class HostedProjectionStore<TState>(HostedProjections projections, [ServiceKey] object? key = null) : IProjectionStore<TState>
    where TState : class
{
    public async Task<TState?> GetAsync(string key, CancellationToken cancellationToken = default) =>
        await States.GetAsync(key, cancellationToken).ConfigureAwait(false);

    public async Task<IReadOnlyDictionary<string, TState>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default) =>
        await States.GetManyAsync(keys, cancellationToken).ConfigureAwait(false);

    public IAsyncEnumerable<ProjectionEntry<TState>> ReadAllAsync(CancellationToken cancellationToken = default) =>
        States.ReadAllAsync(cancellationToken);

    public IAsyncEnumerable<ProjectionEntry<TState>> FindAsync(IEnumerable<Tag> tags, CancellationToken cancellationToken = default) =>
        States.FindAsync(tags, cancellationToken);

    public async Task WaitForAsync(long position, CancellationToken cancellationToken = default) =>
        await States.WaitForAsync(position, cancellationToken).ConfigureAwait(false);

    public async Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default) =>
        await States.GetStatusAsync(cancellationToken).ConfigureAwait(false);

    private IProjectionStore<TState> States => field ??= projections.Find<TState>(key);
}
