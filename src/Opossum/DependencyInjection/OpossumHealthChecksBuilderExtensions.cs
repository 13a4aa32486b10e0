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
    /// Adds a health check of a store and its projections. Unhealthy: the store is closed, or accepts no appends and is no longer being reopened,
    /// a projection has stopped at an event, or the keys of personal data are missing. Degraded: the store accepts no appends and is being
    /// reopened, or a projection is starting, is
    /// being built, cannot continue for now, or was built by another process in a higher version, or the proof of the store's history is not kept,
    /// or a witness did not receive the last checkpoint.
    /// </summary>
    /// <remarks>
    /// The data contain <c>head</c>, the store's last position; <c>path</c>, <c>id</c>, <c>fileSystem</c>, <c>isNetwork</c>,
    /// <c>isReadOnly</c>, <c>flush</c> and
    /// <c>fault</c> and <c>keysProblem</c>, as in <see cref="Opossum.StoreStatus"/>; <c>reopened</c>, the number of reopenings after a fault, and
    /// <c>lastFault</c>; <c>proof</c>: empty, or <c>checkpointPosition</c>, <c>checkpointTime</c>, <c>problem</c> and <c>witnesses</c>, each with
    /// <c>folder</c>, <c>position</c>, <c>time</c> and <c>problem</c>, as in <see cref="Opossum.ProofStatus"/>; and <c>projections</c>: for each name the <c>phase</c>, the
    /// <c>position</c> up to which events are applied, the <c>lag</c> behind the head in events, its <c>version</c>, <c>isLeader</c>, and the
    /// <c>error</c> that stopped it, or null.
    /// </remarks>
    /// <param name="builder">The host's health checks.</param>
    /// <param name="serviceKey">The key that was passed to <c>AddKeyedOpossum</c>. Null, the default: the store without a key.</param>
    /// <param name="name">The check's name. Default: <c>opossum</c>.</param>
    /// <param name="failureStatus">The status to report instead of unhealthy. Null, the default: unhealthy.</param>
    /// <param name="tags">The check's tags, for selecting checks. Null, the default: none.</param>
    /// <param name="timeout">The time limit of the check, which matters on a network share. Null, the default: no limit.</param>
    public static IHealthChecksBuilder AddOpossum(
        this IHealthChecksBuilder builder, object? serviceKey = null, string name = "opossum", HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null, TimeSpan? timeout = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var store = StoreRegistration.Create(serviceKey);
        return builder.Add(new HealthCheckRegistration(name, provider => new StoreHealthCheck(store, provider), failureStatus, tags, timeout));
    }

    /// <summary>
    /// Adds a health check of all open stores of <see cref="Opossum.IEventStores"/> and their projections; the worst one decides. The statuses are
    /// those of a single store, except that a store whose next lease opens it again after a fault is degraded. Stores that are not open are healthy.
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
