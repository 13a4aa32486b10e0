using Microsoft.Extensions.DependencyInjection;
using Opossum.Following;
using Opossum.Projections.Reading;

namespace Opossum.DependencyInjection;

/// <summary>All projections of a host, of all its stores.</summary>
internal sealed class HostedProjections(IServiceProvider services)
{
    /// <summary>Finds the projection with a state type, by its store and its name.</summary>
    /// <param name="key">The projection's name, or the key of its store; null: the only projection with that state type.</param>
    /// <exception cref="InvalidOperationException">No projection matches, or several do.</exception>
    public (Openings<Opening<ProjectionReader>> Openings, string Name) Find<TState>(object? key)
        where TState : class
    {
        var found = Stores()
            .SelectMany(store => store.AddedProjections.OfType<Projection<TState>>(), (store, projection) => (store, projection))
            .Where(each => key is null || key.Equals(each.store.Registration.Key) || key.Equals(each.projection.Name))
            .ToList();
        return found switch
        {
            [var (store, projection)] => (store.Projections.Openings, projection.Name),
            [] =>
                throw new InvalidOperationException("There is no projection with the state type "
                    + $"{typeof(TState)}{(key is null ? "" : $" and the name, or the key of its store, {NameRules.Quote($"{key}")}")}. Add it to "
                    + "its store: AddOpossum(...).AddProjection<T>()."),
            _ =>
                throw new InvalidOperationException($"Several projections have the state type {typeof(TState)}: "
                    + $"{string.Join(", ", found.Select(each => $"{each.projection.Name} of {each.store.Registration}"))}. Choose one with "
                    + "[FromKeyedServices(...)] and the projection's name or, if its store has a key, the store's key."),
        };
    }

    private IEnumerable<HostedEventStore> Stores() =>
        services.GetServices<StoreRegistration>().Select(store => services.GetRequiredKeyedService<HostedEventStore>(store.Name));
}
