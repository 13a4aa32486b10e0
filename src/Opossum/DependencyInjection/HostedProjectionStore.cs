using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.DependencyInjection;

/// <summary>The injected states of a host's projection: usable before the projection starts, and across reopenings of its store.</summary>
internal sealed class HostedProjectionStore<TState>(HostedProjections projections, [ServiceKey] object? key = null) : IProjectionStore<TState>
    where TState : class
{
    public Task<TState?> GetAsync(string key, CancellationToken cancellationToken = default) =>
        AskAsync(states => states.GetAsync(key, cancellationToken));

    public Task<IReadOnlyDictionary<string, TState>> GetManyAsync(IEnumerable<string> keys, CancellationToken cancellationToken = default) =>
        AskAsync(states => states.GetManyAsync(keys, cancellationToken));

    public IAsyncEnumerable<ProjectionEntry<TState>> ReadAllAsync(CancellationToken cancellationToken = default) =>
        ReadAsync(static states => states.ReadAllAsync(CancellationToken.None), cancellationToken);

    public IAsyncEnumerable<ProjectionEntry<TState>> FindAsync(IEnumerable<Tag> tags, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(tags);
        Tag[] wanted = [.. tags];
        return ReadAsync(states => states.FindAsync(wanted, CancellationToken.None), cancellationToken);
    }

    public async Task WaitForAsync(long position, CancellationToken cancellationToken = default) => await AskAsync(async states =>
    {
        await states.WaitForAsync(position, cancellationToken).ConfigureAwait(false);
        return true;
    }).ConfigureAwait(false);

    public Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default) =>
        AskAsync(states => states.GetStatusAsync(cancellationToken));

    private HostedProjection Found => field ??= projections.Find<TState>(key);

    private IProjectionStore<TState> StatesOf(HostedOpening opening) => opening.Runner!.GetStore<TState>(Found.Name);

    // A caller that waits on a replaced opening repeats its call on the current one.
    private async Task<T> AskAsync<T>(Func<IProjectionStore<TState>, Task<T>> ask)
    {
        while (true)
        {
            var used = Found.Store.Use();
            try
            {
                return await ask(StatesOf(used)).ConfigureAwait(false);
            }
            catch (ObjectDisposedException) when (used != Found.Store.Opening)
            {
                // The projections of the replaced opening have stopped.
            }
            finally
            {
                used.EndUse();
            }
        }
    }

    private IAsyncEnumerable<ProjectionEntry<TState>> ReadAsync(Func<IProjectionStore<TState>, IAsyncEnumerable<ProjectionEntry<TState>>> read,
        CancellationToken cancellationToken)
    {
        // Invalid arguments throw at once, not at the first state.
        _ = read(StatesOf(Found.Store.Opening));
        return ReadWhileOpenAsync(read, cancellationToken);
    }

    private async IAsyncEnumerable<ProjectionEntry<TState>> ReadWhileOpenAsync(Func<IProjectionStore<TState>,
        IAsyncEnumerable<ProjectionEntry<TState>>> read, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var used = Found.Store.Use();
        try
        {
            await foreach (var state in read(StatesOf(used)).WithCancellation(cancellationToken).ConfigureAwait(false))
                yield return state;
        }
        finally
        {
            used.EndUse();
        }
    }
}
