using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.DependencyInjection;

/// <summary>
/// Reports a store's health to the host's health checks. It throws if the store was not added or is not open, which counts as unhealthy.
/// </summary>
internal sealed class StoreHealthCheck(StoreRegistration registration, IServiceProvider services) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var store = services.GetKeyedService<HostedEventStore>(registration.Name)
            ?? throw new InvalidOperationException($"The health check is for {registration}, which was not added. Call {registration.HowToAdd}.");
        return store.UseAsync(used => StoreHealth.JudgeAsync(used.Store, used.Runner, context.Registration.FailureStatus, cancellationToken,
            store.Reopening, used.Reactions, store.Replicas));
    }
}
