using Opossum.Following;

namespace Opossum.Projections.Updating;

/// <inheritdoc/>
internal sealed class ProjectionWorkers : IProjectionWorkers
{
    public Follower Create<TState>(ProjectionHost host, Projection<TState> projection)
        where TState : class => new ProjectionWorker<TState>(host, projection);
}
