using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.DependencyInjection;

/// <summary>A reaction that was added to the services.</summary>
/// <param name="Key">The key under which the container creates it: the name of its store, or that of all stores on demand.</param>
internal sealed record ReactionRegistration(object Key,
    [property: DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)]
    [param: DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] Type Type, IServiceCollection Services)
{
    /// <summary>Adds a reaction under a key; false: it is there.</summary>
    public static bool TryAdd<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TReaction>(
        IServiceCollection services, object key)
        where TReaction : Reaction
    {
        var registration = new ReactionRegistration(key, typeof(TReaction), services);
        if (services.Any(service => registration.Equals(service.ImplementationInstance)))
            return false;
        services.AddSingleton(registration);
        services.AddKeyedSingleton<Reaction, TReaction>(key);
        return true;
    }
}
