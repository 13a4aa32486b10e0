using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using Opossum.DependencyInjection;
using Opossum.Maintenance;

namespace Opossum;

/// <summary>Configures a store that was added to a host's services, or all stores on demand.</summary>
/// <remarks>
/// Another call of <c>AddOpossum()</c>, of <c>AddKeyedOpossum(key)</c> with the same key or of <c>AddOpossumStores()</c> returns a builder for the
/// same, so that each part of an app can add its own projections and reactions.
/// </remarks>
/// <example><code>
/// builder.Services
///     .AddOpossum(builder.Configuration.GetSection("Opossum"), options =&gt; options.EventTypes.AddAssembly(typeof(CourseDefined).Assembly))
///     .AddProjection&lt;CourseOverviews&gt;();
/// </code></example>
public sealed class OpossumBuilder
{
    private readonly StoreRegistration? store;

    /// <param name="services">The host's services.</param>
    /// <param name="store">The store; null: all stores on demand.</param>
    internal OpossumBuilder(IServiceCollection services, StoreRegistration? store) => (Services, this.store) = (services, store);

    /// <summary>The host's services.</summary>
    public IServiceCollection Services { get; }

    /// <summary>
    /// Adds a projection to the store, or to every store on demand, where it runs while the store is open. Adding it again does nothing.
    /// </summary>
    /// <typeparam name="TProjection">
    /// The projection; the container creates one instance for each store it is added to, and one for all stores on demand.
    /// </typeparam>
    /// <returns>This builder.</returns>
    /// <remarks>
    /// Inject the states as <see cref="IProjectionStore{TState}"/>; use it once the host has started. When several projections have the same state
    /// type, add <c>[FromKeyedServices(...)]</c> with the projection's name or the key of its store. The host starts the projections after it has
    /// opened the store, before any other hosted service's <c>StartAsync</c>, and stops them before it closes the store.
    /// <see cref="IFileSystemEventStore.Projections"/> has their status.
    /// <para>
    /// The options follow the options pattern: <c>services.Configure&lt;ProjectionOptions&gt;(...)</c>, under the text of the store's key if it has
    /// one. A store's section of the configuration may contain them as <c>Projections</c>.
    /// </para>
    /// </remarks>
    public OpossumBuilder AddProjection<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TProjection>()
        where TProjection : Projection
    {
        if (Services.Any(service => Equals(service.ServiceKey, Key) && service.KeyedImplementationType == typeof(TProjection)))
            return this;
        Services.AddKeyedSingleton<Projection, TProjection>(Key);
        if (store is not { Name: var name })
            return this;
        AddProjectionOptions(name);
        Services.TryAddSingleton<HostedProjections>();
        Services.TryAddSingleton(typeof(IProjectionStore<>), typeof(HostedProjectionStore<>));
        Services.TryAddKeyedSingleton(typeof(IProjectionStore<>), KeyedService.AnyKey, typeof(HostedProjectionStore<>));
        return this;
    }

    /// <summary>Adds a read model in a database to the store, where it runs while the store is open.</summary>
    /// <param name="name">The name; see <see cref="Projection.Name"/>. It is also that of its row in <c>opossum_positions</c>.</param>
    /// <param name="connect">Makes a connection that is not open; each transaction takes one and disposes of it.</param>
    /// <param name="configure">Adds the handlers.</param>
    /// <param name="version">The version, from 1. Raise it when handlers or tables change: the rows are then built again. Default: 1.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="NotSupportedException">The builder is that of all stores on demand.</exception>
    /// <inheritdoc cref="DbProjection" path="/example"/>
    public OpossumBuilder AddDbProjection(string name, Func<IServiceProvider, DbConnection> connect, Action<DbProjection> configure, int version = 1)
    {
        ArgumentNullException.ThrowIfNull(connect);
        ArgumentNullException.ThrowIfNull(configure);
        return AddProjection(services =>
        {
            var projection = new DbProjection(name, () => connect(services), version);
            configure(projection);
            return projection;
        });
    }

    /// <summary>
    /// Keeps a replica of the store in another folder while the host runs, as <see cref="StoreReplica.FollowAsync"/> does. It can be called for several
    /// folders. Adding a folder again does nothing.
    /// </summary>
    /// <param name="path">The replica's folder, best on another disk or machine.</param>
    /// <param name="options">The options. Null, the default: all defaults.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="NotSupportedException">The builder is that of all stores on demand.</exception>
    /// <remarks>
    /// Appends do not wait for it, and a folder that is away does not keep the host from starting; the health check says so, and how far the
    /// replica is. Once the folder was promoted, the host does not start, and a host that runs takes no appends any more: docs/follow.md.
    /// With <see cref="ReplicaOptions.IncludeKeys"/> and a <see cref="PersonalDataOptions.KeysFolder"/> the host does not start.
    /// </remarks>
    public OpossumBuilder FollowTo(string path, ReplicaOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        options ??= new ReplicaOptions();
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(options.PollInterval, TimeSpan.Zero, nameof(options));
        if (store is null)
            throw new NotSupportedException("One folder cannot follow all stores on demand. Follow each of them by opossum follow.");
        var folder = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        var followed = new Followed(store.Name, folder);
        if (Services.Any(service => service.ImplementationInstance is Followed other && other.Store == followed.Store
            && HostedEventStore.FolderComparer.Equals(other.Folder, folder)))
        {
            return this;
        }
        Services.AddSingleton(followed);
        Services.AddKeyedSingleton(store.Name, (_, _) => new HostedReplica(folder, options));
        if (options.IncludeKeys)
        {
            Services.AddOptions<OpossumOptions>(store.Name).Validate(static each => each.PersonalData.KeysFolder is null,
                $"ReplicaOptions.{nameof(ReplicaOptions.IncludeKeys)} copies the folder Keys of the store only. Leave it false and copy the folder "
                + $"of keys in another way, or do without PersonalData.{nameof(PersonalDataOptions.KeysFolder)}.");
        }
        return this;
    }

    /// <summary>Names who appends, as <see cref="OpossumOptions.User"/>; in an ASP.NET app use <c>WithHttpUser</c> of Opossum.AspNetCore.</summary>
    /// <param name="user">Names the user, from the host's services: an id. Null or empty: nobody is named.</param>
    /// <returns>This builder.</returns>
    public OpossumBuilder WithUser(Func<IServiceProvider, string?> user)
    {
        ArgumentNullException.ThrowIfNull(user);
        if (store is null)
        {
            Services.AddOptions<OpossumStoresOptions>()
                .Configure<IServiceProvider>((options, services) => options.Store.User = () => user(services));
        }
        else
        {
            Services.AddOptions<OpossumOptions>(store.Name).Configure<IServiceProvider>((options, services) => options.User = () => user(services));
        }
        return this;
    }

    /// <summary>
    /// Adds a reaction to the store, or to every store on demand, where it runs while the store is open. Adding it again does nothing.
    /// </summary>
    /// <typeparam name="TReaction">
    /// The reaction; the container creates one instance for each store it is added to, and one for all stores on demand. Its constructor takes
    /// singletons; scoped services are in
    /// <see cref="ReactionContext.Services"/>. One that takes a scoped service keeps the host from starting.
    /// </typeparam>
    /// <returns>This builder.</returns>
    /// <remarks>
    /// The host starts the reactions after all hosted services have started, and stops them before it stops any of them, so handlers can use all
    /// services, the injected store and the states of projections among them. A reaction that starts at the head for the first time also handles what
    /// was appended while the services started. The stop cancels the handlers and waits until they have returned; what was not handled then is
    /// handled after the next start, or by another host. While the host opens the store again after a fault, no event is handled.
    /// <see cref="IFileSystemEventStore.Reactions"/> has their status.
    /// <para>
    /// A store on demand that nobody uses is closed after <see cref="OpossumStoresOptions.IdleTimeout"/>. What its reactions have not handled by then,
    /// retries included, waits until it is opened again. To have it handled at a certain time, open the store then; <see cref="IEventStores.ListAsync"/>
    /// returns all names.
    /// </para>
    /// <para>
    /// The options follow the options pattern: <c>services.Configure&lt;ReactionOptions&gt;(...)</c>, under the text of the store's key if it has
    /// one. A store's section of the configuration may contain them as <c>Reactions</c>.
    /// </para>
    /// </remarks>
    public OpossumBuilder AddReaction<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TReaction>()
        where TReaction : Reaction
    {
        if (ReactionRegistration.TryAdd<TReaction>(Services, Key) && store is { Name: var name })
            AddOptions<ReactionOptions>(name, static options => options.Check());
        return this;
    }

    /// <summary>Adds a projection that keeps its states elsewhere than in the store's folder.</summary>
    /// <exception cref="NotSupportedException">The builder is that of all stores on demand.</exception>
    internal OpossumBuilder AddProjection(Func<IServiceProvider, Projection> create)
    {
        if (store is null)
            throw new NotSupportedException("All stores on demand cannot share the tables of one projection. Add it to a store of its own.");
        Services.AddKeyedSingleton(Key, (services, _) => create(services));
        AddProjectionOptions(store.Name);
        return this;
    }

    private object Key => store?.Name ?? EventStores.SharedKey;

    private void AddProjectionOptions(string name) => AddOptions<ProjectionOptions>(name, static options => options.Check());

    private void AddOptions<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
        string name, Func<TOptions, OptionsChecks> check)
        where TOptions : class
    {
        Services.AddOptions<TOptions>(name).ValidateOnStart();
        Services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<TOptions>>(new HostedValidation<TOptions>(check)));
    }

    /// <summary>A folder that follows a store.</summary>
    private sealed record Followed(string Store, string Folder);
}
