using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using Opossum.DependencyInjection;

namespace Opossum;

/// <summary>A store that was added to a host's services: adds to it what belongs to that store.</summary>
/// <remarks>
/// A further <c>AddOpossum()</c>, or <c>AddKeyedOpossum(key)</c> with the same key, gives the builder of the same store, so that each part of
/// an app may add its own projections.
/// </remarks>
/// <example><code>
/// builder.Services
///     .AddOpossum(builder.Configuration.GetSection("Opossum"), options =&gt; options.EventTypes.AddAssembly(typeof(CourseDefined).Assembly))
///     .AddProjection&lt;CourseOverviews&gt;();
/// </code></example>
public sealed class OpossumBuilder
{
    private readonly StoreRegistration store;

    internal OpossumBuilder(IServiceCollection services, StoreRegistration store)
    {
        Services = services;
        this.store = store;
    }

    /// <summary>The host's services.</summary>
    public IServiceCollection Services { get; }

    /// <summary>Adds a projection to the store. Adding it again does nothing.</summary>
    /// <typeparam name="TProjection">The projection; the container makes one for each store it is added to, and keeps it.</typeparam>
    /// <returns>This builder.</returns>
    /// <remarks>
    /// Take the states as <see cref="IProjectionStore{TState}"/>. It may be injected anywhere and used once the host has started; when several
    /// projections have the same state type, with <c>[FromKeyedServices(...)]</c> and the projection's name or the key of its store. The host
    /// starts the projections when it has opened the store, before any other hosted service's <c>StartAsync</c>, and stops them before it closes
    /// the store. <see cref="ProjectionRunner"/> can be resolved once the host has started; it is stopped, and another one runs,
    /// when the host opens the store again after a fault.
    /// <para>
    /// The options are those of the options pattern: <c>services.Configure&lt;ProjectionOptions&gt;(...)</c>, by the name of the store's key if it
    /// has one. A store's section of the configuration may hold them as <c>Projections</c>.
    /// </para>
    /// </remarks>
    public OpossumBuilder AddProjection<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TProjection>()
        where TProjection : Projection
    {
        var registration = new ProjectionRegistration(store, typeof(TProjection));
        if (Services.Any(service => registration.Equals(service.ImplementationInstance)))
            return this;

        var name = store.Name;
        Services.AddSingleton(registration);
        Services.AddKeyedSingleton<Projection, TProjection>(name);
        Services.AddOptions<ProjectionOptions>(name).ValidateOnStart();
        Services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<ProjectionOptions>, HostedProjectionValidation>());

        Services.TryAddSingleton<HostedProjections>();
        Services.TryAddSingleton(typeof(IProjectionStore<>), typeof(HostedProjectionStore<>));
        Services.TryAddKeyedSingleton(typeof(IProjectionStore<>), KeyedService.AnyKey, typeof(HostedProjectionStore<>));
        if (store.Key is null)
            Services.TryAddSingleton(Runner);
        else
            Services.TryAddKeyedSingleton(store.Key, (provider, _) => Runner(provider));
        return this;

        ProjectionRunner Runner(IServiceProvider provider) => provider.GetRequiredKeyedService<HostedEventStore>(name).Opening.Runner!;
    }
}
