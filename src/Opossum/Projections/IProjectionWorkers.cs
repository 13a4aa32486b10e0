using Opossum.Following;

namespace Opossum.Projections;

/// <summary>Creates the worker of a projection, whose room is above that of the projection.</summary>
internal interface IProjectionWorkers
{
    Follower Create<TState>(ProjectionHost host, Projection<TState> projection)
        where TState : class;
}
