using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Failures;

namespace Opossum.Storage.Replicas;

/// <summary>Follows a store step by step, and opens both folders again after what failed for a while.</summary>
/// <param name="progress">Receives the progress within a step.</param>
internal sealed class ReplicaFollower(IFileSystem fileSystem, StoreLayout layout, string replica, ReplicaOptions options, TimeProvider clock,
    IProgress<StoreProgress>? progress, CancellationToken cancellationToken) : IDisposable
{
    private ReplicaSession? session;
    private ReplicaReport? last;

    /// <summary>How many steps have failed since the last one that did not.</summary>
    public int Failures { get; private set; }

    /// <summary>Whether the last step left events that the next one copies at once.</summary>
    public bool HasMore => Failures == 0 && last?.Head < last?.SourceHead;

    /// <summary>Takes a step.</summary>
    /// <returns>What was copied, or what keeps it from following; null when both folders are opened again first.</returns>
    /// <exception cref="StoreMaintenanceException">The folder cannot follow the store, or no longer.</exception>
    /// <exception cref="EventStoreException">The first step failed.</exception>
    public ReplicaReport? Step()
    {
        try
        {
            var report = MaintenanceFailure.Guard(replica, $"{replica} was not completed",
                "It continues from what was copied.", TryStep);
            last = report ?? last;
            Failures = 0;
            return report;
        }
        catch (EventStoreException e) when (last is not null && e is not StoreMaintenanceException { IsTransient: false })
        {
            Failures++;
            return last = last with { Problem = e.Message, Copied = 0, Mended = 0 };
        }
    }

    public void Dispose() => End();

    private ReplicaReport? TryStep()
    {
        try
        {
            // Afterwards the folder must be there: an empty one is where its disk is not mounted.
            if (session is null && last is not null && StoreFile.Read(fileSystem, layout.At(replica)) is null
                && ReplicaFile.Find(fileSystem, layout.At(replica), storeFile: null) is null)
            {
                throw new StoreMaintenanceException(replica, $"{replica} is no longer there, or its disk is not mounted. It continues once it is.",
                    isTransient: true);
            }
            session ??= ReplicaSession.Open(fileSystem, layout, replica, options, clock, progress, cancellationToken);
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
