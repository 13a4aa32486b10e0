namespace Opossum.DependencyInjection;

/// <summary>A projection of a host.</summary>
/// <param name="Store">The store that it belongs to.</param>
/// <param name="Name">Its name.</param>
internal sealed record HostedProjection(HostedEventStore Store, string Name);
