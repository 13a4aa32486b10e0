using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Opossum;
using Opossum.DependencyInjection;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds event stores to a host's services.</summary>
/// <remarks>
/// Inject the store as <see cref="IEventStore"/>. The host opens it before any other hosted service's <c>StartAsync</c> and closes it after all of
/// them have stopped; earlier use throws an <see cref="InvalidOperationException"/>. With its status it is an <see cref="IFileSystemEventStore"/>,
/// and what forgets persons is <see cref="IPersonalData"/>. All of them continue when the host opens the store again after a fault
/// (<see cref="OpossumAdvancedOptions.ReopenAfterFault"/>). Nothing touches the disk before the host starts. A host whose options are not
/// allowed, or whose folder cannot be opened, does not start.
/// <para>
/// The options follow the options pattern: <c>services.Configure&lt;OpossumOptions&gt;(...)</c> and further calls with the same key add to them in
/// the order of the calls, and the last call that sets an option wins. These calls never add a second store. The store uses the logger factory
/// and the <see cref="TimeProvider"/> of the host's services unless the options set others.
/// </para>
/// </remarks>
/// <example><code>
/// builder.Services.AddOpossum(options =&gt; options.Path = "/var/lib/courses");
/// builder.Services
///     .AddOpossum(builder.Configuration.GetSection("Opossum"), options =&gt; options.EventTypes.AddAssembly(typeof(CourseDefined).Assembly))
///     .AddProjection&lt;CourseOverviews&gt;();
/// builder.Services.AddKeyedOpossum("orders", options =&gt; options.Path = "/var/lib/orders");
/// </code></example>
public static partial class OpossumServiceCollectionExtensions
{
    /// <summary>Adds the store, or returns the builder of the store that was added before.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="configure">Sets the options; at least one call must set <see cref="OpossumOptions.Path"/>. Null, the default: sets none.</param>
    /// <returns>A builder that adds projections and reactions to the store.</returns>
    public static OpossumBuilder AddOpossum(this IServiceCollection services, Action<OpossumOptions>? configure = null) =>
        Add(services, null, null, configure);

    /// <summary>Adds the store, with options from the configuration.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="section">
    /// A section whose keys are the names of the options, in any case: true or false, whole numbers, and times as hh:mm:ss or d.hh:mm:ss. Advanced,
    /// PersonalData, Projections and Reactions are sections in it. docs/hosting.md lists them all. Any other key, or a value in
    /// another form, prevents the host from starting.
    /// </param>
    /// <param name="configure">Sets further options, after those of the section. Null, the default: sets none.</param>
    /// <returns>A builder that adds projections and reactions to the store.</returns>
    public static OpossumBuilder AddOpossum(this IServiceCollection services, IConfiguration section, Action<OpossumOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, null, section, configure);
    }

    /// <summary>
    /// Adds one of several stores, injected with <c>[FromKeyedServices(key)] IEventStore</c>, or returns the builder of the store that was
    /// added before.
    /// </summary>
    /// <param name="services">The host's services.</param>
    /// <param name="serviceKey">The store's key. Its text is the name of the options: <c>services.Configure&lt;OpossumOptions&gt;("orders",
    /// ...)</c>.</param>
    /// <param name="configure">Sets the options; at least one call must set <see cref="OpossumOptions.Path"/>. Null, the default: sets none.</param>
    /// <returns>A builder that adds projections and reactions to the store.</returns>
    /// <exception cref="ArgumentException">The key's text is empty, or is the same as the text of another key.</exception>
    public static OpossumBuilder AddKeyedOpossum(this IServiceCollection services, object serviceKey, Action<OpossumOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(serviceKey);
        return Add(services, serviceKey, null, configure);
    }

    /// <summary>Adds one of several stores, injected with <c>[FromKeyedServices(key)] IEventStore</c>, with options from the configuration.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="serviceKey">The store's key. Its text is the name of the options: <c>services.Configure&lt;OpossumOptions&gt;("orders",
    /// ...)</c>.</param>
    /// <param name="section">As for <see cref="AddOpossum(IServiceCollection, IConfiguration, Action{OpossumOptions}?)"/>.</param>
    /// <param name="configure">Sets further options, after those of the section. Null, the default: sets none.</param>
    /// <returns>A builder that adds projections and reactions to the store.</returns>
    /// <exception cref="ArgumentException">The key's text is empty, or is the same as the text of another key.</exception>
    public static OpossumBuilder AddKeyedOpossum(this IServiceCollection services, object serviceKey, IConfiguration section,
        Action<OpossumOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(serviceKey);
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, serviceKey, section, configure);
    }

    private static OpossumBuilder Add(IServiceCollection services, object? serviceKey, IConfiguration? section, Action<OpossumOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        var registration = StoreRegistration.Create(serviceKey);
        var registrations = services.Select(service => service.ImplementationInstance).OfType<StoreRegistration>();
        if (registrations.FirstOrDefault(other => other.Name == registration.Name) is not { } known)
        {
            AddStore(services, registration);
        }
        else if (!Equals(known.Key, serviceKey))
        {
            throw new ArgumentException($"The key {serviceKey} has the same text as another store's key, which names that store's options. Choose "
                + "a key with a different text.", nameof(serviceKey));
        }

        if (section is not null)
            OptionsSections.AddStore(services, registration.Name, section);
        if (configure is not null)
            services.Configure(registration.Name, configure);
        return new OpossumBuilder(services, registration);
    }

    private static void AddStore(IServiceCollection services, StoreRegistration registration)
    {
        var name = registration.Name;
        services.AddOptions();
        // The host's logger factory and clock come before what the caller's own delegates set.
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IConfigureOptions<OpossumOptions>, HostedStoreDefaults>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<OpossumOptions>>(
            new HostedValidation<OpossumOptions>(static options => options.Check())));

        services.AddSingleton(registration);
        services.AddKeyedSingleton(name, (provider, _) => new HostedEventStore(registration, provider));
        services.AddSingleton<IHostedService>(Hosted);
        if (registration.Key is { } key)
        {
            services.TryAddKeyedSingleton<IEventStore>(key, (provider, _) => Hosted(provider));
            services.TryAddKeyedSingleton<IFileSystemEventStore>(key, (provider, _) => Hosted(provider));
            services.TryAddKeyedSingleton<IPersonalData>(key, (provider, _) => Hosted(provider));
        }
        else
        {
            services.TryAddSingleton<IEventStore>(Hosted);
            services.TryAddSingleton<IFileSystemEventStore>(Hosted);
            services.TryAddSingleton<IPersonalData>(Hosted);
        }

        HostedEventStore Hosted(IServiceProvider provider) => provider.GetRequiredKeyedService<HostedEventStore>(name);
    }
}
