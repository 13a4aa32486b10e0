using Microsoft.Extensions.DependencyInjection;
using Opossum.Projections.Reading;

namespace Opossum.DependencyInjection;

/// <summary>The injected states of a host's projection, usable before the projection starts.</summary>
internal sealed class HostedProjectionStore<TState>(HostedProjections projections, [ServiceKey] object? key = null)
    : ProjectionStates<TState>(() => projections.Find<TState>(key))
    where TState : class;
