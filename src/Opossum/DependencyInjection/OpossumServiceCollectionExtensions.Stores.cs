using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Opossum;
using Opossum.DependencyInjection;

namespace Microsoft.Extensions.DependencyInjection;

/// <content>Stores on demand, such as one for each tenant.</content>
public static partial class OpossumServiceCollectionExtensions
{
    /// <summary>Adds stores on demand, such as one for each tenant, or returns the builder of those that were added before.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="configure">Sets the options; at least one call must set <see cref="OpossumStoresOptions.Root"/>. Null: sets none.</param>
    /// <returns>A builder that adds projections and reactions to every store.</returns>
    /// <remarks>
    /// Inject them as <see cref="IEventStores"/>. Nothing touches the disk before the first handle. The host closes all stores after all other hosted
    /// services have stopped. A host whose options are not allowed does not start. The stores use the logger factory and the <see cref="TimeProvider"/>
    /// of the host's services unless the options set others. A host can have one such root, next to any number of stores of <c>AddOpossum</c>.
    /// </remarks>
    /// <example><code>
    /// builder.Services
    ///     .AddOpossumStores(options =&gt;
    ///     {
    ///         options.Root = "/var/lib/shops";
    ///         options.Store.EventTypes.AddAssembly(typeof(OrderPlaced).Assembly);
    ///     })
    ///     .AddProjection&lt;OrderBoard&gt;();
    /// builder.Services.AddHealthChecks().AddOpossumStores();
    /// </code></example>
    public static OpossumBuilder AddOpossumStores(this IServiceCollection services, Action<OpossumStoresOptions>? configure = null) =>
        AddStores(services, null, configure);

    /// <summary>Adds stores on demand, with options from the configuration.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="section">
    /// A section with any of Root, MaxOpen (a number), IdleTimeout and WaitTimeout (hh:mm:ss or d.hh:mm:ss), and of what a store's section
    /// contains, except Path: see <see cref="AddOpossum(IServiceCollection, IConfiguration, Action{OpossumOptions}?)"/>.
    /// </param>
    /// <param name="configure">Sets further options, after those of the section. Null, the default: sets none.</param>
    /// <returns>A builder that adds projections and reactions to every store.</returns>
    public static OpossumBuilder AddOpossumStores(this IServiceCollection services, IConfiguration section,
        Action<OpossumStoresOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return AddStores(services, section, configure);
    }

    private static OpossumBuilder AddStores(IServiceCollection services, IConfiguration? section, Action<OpossumStoresOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        // The host's logger factory and clock come before what the caller's own delegates set.
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IConfigureOptions<OpossumStoresOptions>, HostedStoreDefaults>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<OpossumStoresOptions>, HostedStoresValidation>());
        services.AddOptions<OpossumStoresOptions>().ValidateOnStart();
        services.TryAddSingleton<EventStores>();
        services.TryAddSingleton<IEventStores>(Hosted);
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, EventStores>(Hosted));
        if (section is not null)
            OptionsSections.AddStores(services, section);
        if (configure is not null)
            services.Configure(configure);
        return new OpossumBuilder(services, store: null);

        static EventStores Hosted(IServiceProvider provider) => provider.GetRequiredService<EventStores>();
    }
}
