using Microsoft.Extensions.Diagnostics.HealthChecks;
using Opossum.DependencyInjection;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds event stores to a host's health checks.</summary>
/// <example><code>
/// builder.Services.AddHealthChecks().AddOpossum();
/// app.MapHealthChecks("/health");
/// </code></example>
public static class OpossumHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a health check of a store, its projections, its reactions and the folders that follow it. docs/hosting.md lists what is unhealthy or
    /// degraded, and the data.
    /// </summary>
    /// <param name="builder">The host's health checks.</param>
    /// <param name="serviceKey">The key that was passed to <c>AddKeyedOpossum</c>. Null, the default: the store without a key.</param>
    /// <param name="name">The check's name. Null, the default: <c>opossum</c>, or <c>opossum-orders</c> for the key <c>orders</c>.</param>
    /// <param name="failureStatus">The status to report instead of unhealthy. Null, the default: unhealthy.</param>
    /// <param name="tags">The check's tags, for selecting checks. Null, the default: none.</param>
    /// <param name="timeout">The time limit of the check, which matters on a network share. Null, the default: no limit.</param>
    public static IHealthChecksBuilder AddOpossum(
        this IHealthChecksBuilder builder, object? serviceKey = null, string? name = null, HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null, TimeSpan? timeout = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var store = StoreRegistration.Create(serviceKey);
        name ??= store.Key is null ? "opossum" : $"opossum-{store.Name}";
        return builder.Add(new HealthCheckRegistration(name, provider => new StoreHealthCheck(store, provider), failureStatus, tags, timeout));
    }

    /// <summary>
    /// Adds a health check of all open stores of <see cref="Opossum.IEventStores"/>, with their projections and reactions; the worst one decides. The
    /// statuses are those of a single store, except that a store whose next handle opens it again after a fault is degraded. Stores that are not open
    /// are healthy, except those that have faulted and are not opened again.
    /// </summary>
    /// <remarks>
    /// The data contain <c>open</c> and <c>maxOpen</c>, how many stores are open and may be, and <c>unhealthy</c>: for each store that is not healthy
    /// its name and what was found. The description has the findings of the first 10.
    /// </remarks>
    /// <param name="builder">The host's health checks.</param>
    /// <param name="name">The check's name. Default: <c>opossum-stores</c>.</param>
    /// <param name="failureStatus">The status to report instead of unhealthy. Null, the default: unhealthy.</param>
    /// <param name="tags">The check's tags, for selecting checks. Null, the default: none.</param>
    /// <param name="timeout">The time limit of the check, which matters on a network share. Null, the default: no limit.</param>
    public static IHealthChecksBuilder AddOpossumStores(
        this IHealthChecksBuilder builder, string name = "opossum-stores", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null,
        TimeSpan? timeout = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(name, static provider => new EventStoresHealthCheck(provider), failureStatus, tags, timeout));
    }
}
