using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Opossum.DependencyInjection;

namespace Opossum;

/// <summary>Configures the stores on demand that were added to a host's services.</summary>
/// <example><code>
/// builder.Services.AddOpossumStores(options =&gt; options.Root = "/var/lib/shops").AddProjection&lt;OrderBoard&gt;();
/// </code></example>
public sealed class OpossumStoresBuilder
{
    internal OpossumStoresBuilder(IServiceCollection services) => Services = services;

    /// <summary>The host's services.</summary>
    public IServiceCollection Services { get; }

    /// <summary>Adds a projection to every store. It runs while the store is open. Adding it again does nothing.</summary>
    /// <typeparam name="TProjection">The projection; the container creates one instance for all stores.</typeparam>
    /// <returns>This builder.</returns>
    public OpossumStoresBuilder AddProjection<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TProjection>()
        where TProjection : Projection
    {
        if (!Services.Any(static service => Equals(service.ServiceKey, EventStores.ProjectionsKey)
            && service.KeyedImplementationType == typeof(TProjection)))
        {
            Services.AddKeyedSingleton<Projection, TProjection>(EventStores.ProjectionsKey);
        }
        return this;
    }
}
