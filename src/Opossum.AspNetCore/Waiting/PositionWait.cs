using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCore.Waiting;

/// <summary>What a request waits for: a store or a projection.</summary>
internal abstract class PositionWait
{
    /// <summary>Waits until the position is reached.</summary>
    public abstract Task WaitAsync(IServiceProvider services, long position, CancellationToken cancellationToken);

    public abstract Task<long> GetHeadAsync(IServiceProvider services, CancellationToken cancellationToken);

    protected static T ServiceOf<T>(IServiceProvider services, object? key)
        where T : notnull => key is null ? services.GetRequiredService<T>() : services.GetRequiredKeyedService<T>(key);
}
