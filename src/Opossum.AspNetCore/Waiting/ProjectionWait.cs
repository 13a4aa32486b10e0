namespace Opossum.AspNetCore.Waiting;

/// <summary>Waits for a projection.</summary>
/// <param name="key">The projection's name or the key of its store; null: the only projection with that state type.</param>
internal sealed class ProjectionWait<TState>(object? key) : PositionWait
    where TState : class
{
    public override Task WaitAsync(IServiceProvider services, long position, CancellationToken cancellationToken) =>
        StatesOf(services).WaitForAsync(position, cancellationToken);

    public override async Task<long> GetHeadAsync(IServiceProvider services, CancellationToken cancellationToken) =>
        (await StatesOf(services).GetStatusAsync(cancellationToken).ConfigureAwait(false)).Head;

    private IProjectionStore<TState> StatesOf(IServiceProvider services) => ServiceOf<IProjectionStore<TState>>(services, key);
}
