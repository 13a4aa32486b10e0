using System.Reflection;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.DependencyInjection;

/// <summary>Creates the reactions of a host, and refuses those whose constructor takes a service of a scope.</summary>
internal static class HostedReactions
{
    /// <summary>Creates the reactions that were added under a key.</summary>
    /// <exception cref="InvalidOperationException">A constructor takes a service that is registered as scoped.</exception>
    public static IReadOnlyList<Reaction> Create(IServiceProvider services, object key)
    {
        // In production a container does not check this, and would give the reaction one instance for ever.
        foreach (var registration in services.GetServices<ReactionRegistration>().Where(each => key.Equals(each.Key)))
        {
            if (FindScoped(registration) is (var scoped, var scopedKey))
            {
                var call = scopedKey is null ? $"GetRequiredService<{scoped.Name}>()"
                    : $"GetRequiredKeyedService<{scoped.Name}>({NameRules.Quote($"{scopedKey}")})";
                throw new InvalidOperationException($"The reaction {registration.Type} takes {scoped} in its constructor, which is registered as "
                    + "scoped, but there is one reaction for all events. Take it from the event's scope instead: "
                    + $"context.Services.{call} in the handler.");
            }
        }
        return [.. services.GetKeyedServices<Reaction>(key)];
    }

    private static (Type Type, object? Key)? FindScoped(ReactionRegistration registration)
    {
        foreach (var parameter in registration.Type.GetConstructors().SelectMany(static constructor => constructor.GetParameters()))
        {
            var key = parameter.GetCustomAttribute<FromKeyedServicesAttribute>() switch
            {
                { LookupMode: ServiceKeyLookupMode.InheritKey } => registration.Key,
                var keyed => keyed?.Key,
            };
            if (FindService(registration.Services, parameter.ParameterType, key) is { Lifetime: ServiceLifetime.Scoped })
                return (parameter.ParameterType, key);
        }
        return null;
    }

    // As the container finds it: the last one with the key, or else with any.
    private static ServiceDescriptor? FindService(IServiceCollection services, Type type, object? key) =>
        services.LastOrDefault(service => Equals(service.ServiceKey, key) && Provides(service, type))
            ?? (key is null ? null : services.LastOrDefault(service => service.ServiceKey == KeyedService.AnyKey && Provides(service, type)));

    private static bool Provides(ServiceDescriptor service, Type type) => service.ServiceType == type
        || (type.IsConstructedGenericType && service.ServiceType == type.GetGenericTypeDefinition());
}
