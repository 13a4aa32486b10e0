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
            if (FindScoped(registration) is { } scoped)
            {
                throw new InvalidOperationException($"The reaction {registration.Type} takes {scoped} in its constructor, which is registered as "
                    + "scoped, but there is one reaction for all events. Take it from the event's scope instead: "
                    + $"context.Services.GetRequiredService<{scoped.Name}>() in the handler.");
            }
        }
        return [.. services.GetKeyedServices<Reaction>(key)];
    }

    private static Type? FindScoped(ReactionRegistration registration) => registration.Type.GetConstructors()
        .SelectMany(static constructor => constructor.GetParameters())
        .Select(static parameter => parameter.ParameterType)
        .FirstOrDefault(type => registration.Services.LastOrDefault(service => Provides(service, type)) is { Lifetime: ServiceLifetime.Scoped });

    private static bool Provides(ServiceDescriptor service, Type type) => !service.IsKeyedService && (service.ServiceType == type
        || (type.IsConstructedGenericType && service.ServiceType == type.GetGenericTypeDefinition()));
}
