using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Opossum.DependencyInjection;

/// <summary>Tells the health checks of a host how a store is doing. One that is not there or not open throws, which is unhealthy too.</summary>
internal sealed class StoreHealthCheck(StoreRegistration registration, IServiceProvider services) : IHealthCheck
{
    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var store = services.GetKeyedService<HostedEventStore>(registration.Name)
            ?? throw new InvalidOperationException($"The health check is of {registration}, which was not added. Call {registration.HowToAdd}.");
        return await StoreHealth.JudgeAsync(store.Opening.Store, store.Opening.Runner, context.Registration.FailureStatus, cancellationToken, store.Reopening).ConfigureAwait(false);
    }
}
