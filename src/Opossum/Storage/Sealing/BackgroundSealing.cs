using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Storage.Sealing;

/// <summary>
/// Seals the older folders of an open store in the background: when it is opened, when a folder is full, and at a later append when that left
/// something. A failure is logged; appends and reads continue.
/// </summary>
internal sealed class BackgroundSealing(StoreFolder folder, int keepNewest, TimeProvider clock, ILogger logger) : IDisposable
{
    private static readonly TimeSpan pauseMin = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan pauseMax = TimeSpan.FromHours(1);

    private readonly EndableWork work = new(e => StoreLog.NotSealed(logger, folder.Root, e.Message, e));
    private long lastShard = -1;
    private long lastRun;
    private int isLeft;
    // How often it was tried again since the newest folder began.
    private int retries;

    /// <summary>
    /// Notes the last position: seals when it is the first time or in another folder than before, and after a growing pause where a run left
    /// something.
    /// </summary>
    public void Note(long head)
    {
        if (IsDue(head))
            BackgroundThread.Start(Run, "Opossum sealing");
    }

    /// <summary>Whether to seal now, by the last position. Asked once for each run.</summary>
    public bool IsDue(long head)
    {
        var shard = folder.Layout.ShardOf(head);
        if (shard == 0)
            return false;
        if (Interlocked.Exchange(ref lastShard, shard) == shard)
            return MayRunAgain();
        Volatile.Write(ref retries, 0);
        return true;
    }

    /// <summary>Seals what is due, unless another process does.</summary>
    public void Run() => work.Do(Seal);

    /// <summary>Stops, between two steps.</summary>
    public void Dispose() => work.Dispose();

    private bool MayRunAgain()
    {
        if (Volatile.Read(ref isLeft) == 0
            || clock.GetElapsedTime(Volatile.Read(ref lastRun)) < Backoff.After(Volatile.Read(ref retries) + 1, pauseMin, pauseMax)
            || Interlocked.Exchange(ref isLeft, 0) == 0)
        {
            return false;
        }
        Interlocked.Increment(ref retries);
        return true;
    }

    private void Seal()
    {
        var leaves = true;
        try
        {
            using var run = SealingRun.Begin(folder, clock, static (_, _) => { }, work.Ending, waits: false);
            var report = run?.Seal(keepNewest);
            leaves = run is not { LeavesNone: true };
            if (report is not { Folders: > 0 })
                return;
            Instruments.SealedEvents.Record(report.Events, folder.Root);
            StoreLog.Sealed(logger, report.Folders, folder.Root, report.Events);
        }
        catch (Exception e) when (e is not (FileSystemException or OperationCanceledException or EventStoreException { IsTransient: true }))
        {
            leaves = false;
            throw;
        }
        finally
        {
            Volatile.Write(ref lastRun, clock.GetTimestamp());
            Volatile.Write(ref isLeft, leaves ? 1 : 0);
        }
    }
}
