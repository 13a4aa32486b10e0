namespace Opossum.AspNetCore.Waiting;

/// <summary>What a request waits for: a store or a projection.</summary>
internal abstract class PositionWait
{
    /// <summary>Waits until the position is reached.</summary>
    public abstract Task WaitAsync(IServiceProvider services, long position, CancellationToken cancellationToken);

    public abstract Task<long> GetHeadAsync(IServiceProvider services, CancellationToken cancellationToken);
}
