namespace Opossum.AspNetCore.Waiting;

/// <summary>Waits for a projection of any kind, by its name.</summary>
internal sealed class NamedProjectionWait : PositionWait
{
    private readonly string name;
    private readonly object? serviceKey;

    /// <param name="serviceKey">The store's key; null: the store without a key.</param>
    public NamedProjectionWait(string name, object? serviceKey)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        (this.name, this.serviceKey) = (name, serviceKey);
    }

    public override Task WaitAsync(IServiceProvider services, long position, CancellationToken cancellationToken) =>
        StoreOf(services).Projections[name].WaitForAsync(position, cancellationToken);

    public override Task<long> GetHeadAsync(IServiceProvider services, CancellationToken cancellationToken) =>
        StoreOf(services).GetHeadAsync(cancellationToken);

    private IFileSystemEventStore StoreOf(IServiceProvider services) => ServiceOf<IFileSystemEventStore>(services, serviceKey);
}
