using Opossum.Following;

namespace Opossum.Projections.Updating;

/// <summary>A projection's worker, whatever the state's type.</summary>
internal interface IProjectionWorker
{
    /// <summary>The worker itself.</summary>
    Follower Follower { get; }

    Projection Projection { get; }

    /// <summary>The reader, which the caller casts to the state's type.</summary>
    object Reader { get; }

    Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken);

    Task RequestAsync(LeaderRequest request, CancellationToken cancellationToken);
}
