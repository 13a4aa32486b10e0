using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.DependencyInjection;

/// <summary>
/// Reports a store's health to the host's health checks. It throws if the store was not added or is not open, which counts as unhealthy.
/// </summary>
internal sealed class StoreHealthCheck(StoreRegistration registration, IServiceProvider services) : IHealthCheck
{
    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var store = services.GetKeyedService<HostedEventStore>(registration.Name)
            ?? throw new InvalidOperationException($"The health check is for {registration}, which was not added. Call {registration.HowToAdd}.");
        return await StoreHealth.JudgeAsync(store.Opening.Store, store.Opening.Runner, context.Registration.FailureStatus, cancellationToken,
            store.Reopening, store.Opening.Reactions, store.Replicas).ConfigureAwait(false);
    }
}
