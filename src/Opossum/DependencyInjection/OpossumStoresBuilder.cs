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
        if (!Services.Any(static service => Equals(service.ServiceKey, EventStores.SharedKey)
            && service.KeyedImplementationType == typeof(TProjection)))
        {
            Services.AddKeyedSingleton<Projection, TProjection>(EventStores.SharedKey);
        }
        return this;
    }

    /// <summary>Names who appends, in every store, as <see cref="OpossumOptions.User"/>.</summary>
    /// <param name="user">Names the user, from the host's services: an id. Null or empty: nobody is named.</param>
    /// <returns>This builder.</returns>
    public OpossumStoresBuilder WithUser(Func<IServiceProvider, string?> user)
    {
        ArgumentNullException.ThrowIfNull(user);
        Services.AddOptions<OpossumStoresOptions>()
            .Configure<IServiceProvider>((options, services) => options.Store.User = () => user(services));
        return this;
    }

    /// <summary>Adds a reaction to every store. It runs while the store is open. Adding it again does nothing.</summary>
    /// <typeparam name="TReaction">
    /// The reaction; the container creates one instance for all stores. Its constructor takes singletons; scoped services are in
    /// <see cref="ReactionContext.Services"/>.
    /// </typeparam>
    /// <returns>This builder.</returns>
    /// <remarks>
    /// A store that nobody uses is closed after <see cref="OpossumStoresOptions.IdleTimeout"/>. What its reactions have not handled by then, retries
    /// included, waits until it is opened again. To have it handled at a certain time, lease the store then; <see cref="IEventStores.ListAsync"/>
    /// returns all names.
    /// </remarks>
    public OpossumStoresBuilder AddReaction<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TReaction>()
        where TReaction : Reaction
    {
        ReactionRegistration.TryAdd<TReaction>(Services, EventStores.SharedKey);
        return this;
    }
}
