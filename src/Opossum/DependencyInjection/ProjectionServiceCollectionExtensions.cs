using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using Opossum.DependencyInjection;

namespace Opossum;

/// <summary>Adds projections to a host's services.</summary>
/// <remarks>
/// Take the states as <see cref="IProjectionStore{TState}"/>. It may be injected anywhere and used once the host has started; when several
/// projections have the same state type, with <c>[FromKeyedServices(...)]</c> and the projection's name or the key of its store. The host
/// starts the projections when it has opened the store, before any other hosted service's <c>StartAsync</c>, and stops them before it closes
/// the store. <see cref="ProjectionRunner"/> can be resolved once the host has started; it is stopped, and another one runs, when the host opens
/// the store again after a fault.
/// <para>
/// The options are those of the options pattern: <c>services.Configure&lt;ProjectionOptions&gt;(...)</c>, by the name of the store's key if it
/// has one. A store's section of the configuration may hold them as <c>Projections</c>.
/// </para>
/// </remarks>
/// <example><code>
/// builder.Services
///     .AddOpossum(builder.Configuration.GetSection("Opossum"), options =&gt; options.EventTypes.AddAssembly(typeof(CourseDefined).Assembly))
///     .AddProjection&lt;CourseOverviews&gt;();
/// </code></example>
public static class ProjectionServiceCollectionExtensions
{
    /// <summary>Adds a projection to the store without a key. A host with a projection but without that store does not start.</summary>
    /// <typeparam name="TProjection">The projection; the container makes one and keeps it.</typeparam>
    /// <param name="services">The host's services. <c>AddOpossum</c> may be called before or afterwards.</param>
    public static IServiceCollection AddProjection<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TProjection>(this IServiceCollection services)
        where TProjection : Projection => Add<TProjection>(services, null);

    /// <summary>Adds a projection to the store with a key. A host with a projection but without that store does not start.</summary>
    /// <typeparam name="TProjection">The projection; the container makes one for each store it is added to, and keeps it.</typeparam>
    /// <param name="services">The host's services. <c>AddKeyedOpossum</c> may be called before or afterwards.</param>
    /// <param name="serviceKey">The store's key.</param>
    /// <exception cref="ArgumentException">The key's text is empty.</exception>
    public static IServiceCollection AddKeyedProjection<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TProjection>(this IServiceCollection services, object serviceKey)
        where TProjection : Projection
    {
        ArgumentNullException.ThrowIfNull(serviceKey);
        return Add<TProjection>(services, serviceKey);
    }

    private static IServiceCollection Add<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TProjection>(IServiceCollection services, object? serviceKey)
        where TProjection : Projection
    {
        ArgumentNullException.ThrowIfNull(services);
        var registration = new ProjectionRegistration(StoreRegistration.Create(serviceKey), typeof(TProjection));
        if (services.Any(service => registration.Equals(service.ImplementationInstance)))
            return services;

        var name = registration.Store.Name;
        services.AddSingleton(registration);
        services.AddKeyedSingleton<Projection, TProjection>(name);
        services.AddOptions<ProjectionOptions>(name).ValidateOnStart();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<ProjectionOptions>, HostedProjectionValidation>());

        services.TryAddSingleton<HostedProjections>();
        services.TryAddSingleton(typeof(IProjectionStore<>), typeof(HostedProjectionStore<>));
        services.TryAddKeyedSingleton(typeof(IProjectionStore<>), KeyedService.AnyKey, typeof(HostedProjectionStore<>));
        if (serviceKey is null)
            services.TryAddSingleton(Runner);
        else
            services.TryAddKeyedSingleton(serviceKey, (provider, _) => Runner(provider));
        return services;

        ProjectionRunner Runner(IServiceProvider provider) => provider.GetRequiredKeyedService<HostedEventStore>(name).Opening.Runner!;
    }
}
