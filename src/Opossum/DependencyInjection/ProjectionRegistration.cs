namespace Opossum.DependencyInjection;

/// <summary>A projection that was added to the services.</summary>
/// <param name="Store">The store it belongs to.</param>
/// <param name="Type">The projection's type.</param>
internal sealed record ProjectionRegistration(StoreRegistration Store, Type Type);
