using Opossum.Following;

namespace Opossum.Projections;

/// <summary>Creates what keeps the states of a projection up to date, which the projection does not know.</summary>
internal interface IProjectionWorkers
{
    Follower Create<TState>(ProjectionHost host, Projection<TState> projection)
        where TState : class;
}
