using Microsoft.Extensions.Diagnostics.HealthChecks;
using Opossum.DependencyInjection;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds the health of event stores to a host's health checks.</summary>
/// <example><code>
/// builder.Services.AddHealthChecks().AddOpossum();
/// app.MapHealthChecks("/health");
/// </code></example>
public static class OpossumHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a check of a store and its projections. Unhealthy: the store is closed, or takes no appends and is not opened again any more, or a
    /// projection has stopped at an event. Degraded: the store takes no appends and is being opened again, or a projection is being built, cannot go on for now, or is run by another process in a higher version.
    /// </summary>
    /// <remarks>
    /// The data hold <c>head</c>, the store's last position; <c>path</c>, <c>id</c>, <c>fileSystem</c>, <c>isNetwork</c>, <c>isReadOnly</c>, <c>flush</c> and
    /// <c>fault</c>, as <see cref="Opossum.StoreStatus"/> has them; <c>reopened</c>, how often it was opened again after a fault, and <c>lastFault</c>; and <c>projections</c>: by the name of each its <c>phase</c>, the
    /// <c>position</c> up to which events count, the <c>lag</c> behind the head in events, and the <c>error</c> that has stopped it, or null.
    /// </remarks>
    /// <param name="builder">The host's health checks.</param>
    /// <param name="serviceKey">The key of the store that <c>AddKeyedOpossum</c> was given. Null, the default: the store without a key.</param>
    /// <param name="name">The check's name. Default: <c>opossum</c>.</param>
    /// <param name="failureStatus">What is reported instead of unhealthy. Null, the default: unhealthy.</param>
    /// <param name="tags">The check's tags, to choose checks by. Null, the default: none.</param>
    /// <param name="timeout">How long the check may take, which matters on a network share. Null, the default: without end.</param>
    public static IHealthChecksBuilder AddOpossum(
        this IHealthChecksBuilder builder, object? serviceKey = null, string name = "opossum", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null, TimeSpan? timeout = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var store = StoreRegistration.Create(serviceKey);
        return builder.Add(new HealthCheckRegistration(name, provider => new StoreHealthCheck(store, provider), failureStatus, tags, timeout));
    }
}
