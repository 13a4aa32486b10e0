using Opossum.FileSystem;

namespace Opossum.Storage.Replicas;

/// <summary>Follows a store step by step, and opens both folders again after what failed for a while.</summary>
internal sealed class ReplicaFollower(IFileSystem fileSystem, StoreLayout layout, string replica, ReplicaOptions options, TimeProvider clock,
    CancellationToken cancellationToken) : IDisposable
{
    private ReplicaSession? session;
    private ReplicaReport? last;

    /// <summary>Whether something keeps it from following at the moment.</summary>
    public bool HasProblem => last?.Problem is not null;

    /// <summary>Takes a step.</summary>
    /// <returns>What was copied, or what keeps it from following; null when there was nothing to do.</returns>
    /// <exception cref="StoreMaintenanceException">The folder cannot follow the store, or no longer.</exception>
    /// <exception cref="EventStoreException">The first step failed.</exception>
    public ReplicaReport? Step()
    {
        try
        {
            var isFirst = last is null;
            var report = StoreBackup.Guard(replica, "It goes on from what was copied.", TryStep);
            var isNews = isFirst || last!.Problem is not null || report is { Copied: > 0 } or { Mended: > 0 };
            last = report ?? last;
            return isNews ? report : null;
        }
        catch (EventStoreException e) when (last is not null && e is not StoreMaintenanceException { IsTransient: false })
        {
            End();
            var isNews = last.Problem != e.Message;
            last = last with { Problem = e.Message, Copied = 0, Mended = 0 };
            return isNews ? last : null;
        }
    }

    public void Dispose() => End();

    private ReplicaReport? TryStep()
    {
        try
        {
            // Afterwards the folder must be there: an empty one is where its disk is not mounted.
            if (session is null && last is not null && StoreFile.Read(fileSystem, layout.At(replica)) is null)
            {
                throw new StoreMaintenanceException(replica, $"{replica} is no longer there, or its disk is not mounted. It goes on once it is.",
                    isTransient: true);
            }
            session ??= ReplicaSession.Open(fileSystem, layout, replica, options, clock, progress: null, cancellationToken);
            var report = session.TryStep(isLast: false);
            if (report is null)
                End();
            return report;
        }
        catch
        {
            End();
            throw;
        }
    }

    private void End()
    {
        session?.Dispose();
        session = null;
    }
}
