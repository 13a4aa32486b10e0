using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Storage.Commit;

/// <summary>
/// Brings event files up to the log a moment after an append, and when the store is disposed: writes those of lines, and flushes those that are not
/// flushed.
/// </summary>
internal sealed class BackgroundFiles : IDisposable
{
    // A burst is over by then, and the files are there within a second.
    private static readonly TimeSpan delayOfLines = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan delayOfMany = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan delayOfFlush = TimeSpan.FromSeconds(1);

    private readonly Writeback writeback;
    private readonly ILogger logger;
    private readonly ITimer timer;
    private readonly TimeSpan delay;
    private readonly Lock working = new();
    private int isScheduled;
    private int isSoon;
    private bool isDisposed;

    public BackgroundFiles(Writeback writeback, StoreSettings settings, ILogger logger)
    {
        this.writeback = writeback;
        this.logger = logger;
        delay = settings.Flush ? delayOfLines : delayOfFlush;
        timer = BackgroundThread.CreateTimer(settings.TimeProvider, Run, "Opossum event files");
    }

    /// <summary>Schedules the work, if none is scheduled, or sooner when much of it is left.</summary>
    public void Schedule()
    {
        if (!writeback.Files.IsFarBehind)
            Schedule(delay);
        else if (Interlocked.Exchange(ref isSoon, 1) == 0)
            timer.Change(delayOfMany, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Does what is left, and stops.</summary>
    /// <exception cref="StoreFaultedException">Events that were appended without flushing could not be made durable.</exception>
    public void Dispose()
    {
        Volatile.Write(ref isDisposed, true);
        timer.Dispose();
        lock (working)
            writeback.End();
    }

    private void Schedule(TimeSpan after)
    {
        if (Interlocked.Exchange(ref isScheduled, 1) == 0)
            timer.Change(after, Timeout.InfiniteTimeSpan);
    }

    private void Run()
    {
        lock (working)
        {
            Volatile.Write(ref isScheduled, 0);
            Volatile.Write(ref isSoon, 0);
            if (Volatile.Read(ref isDisposed))
                return;
            try
            {
                switch (writeback.Run())
                {
                    case FilesProgress.SomeLeft:
                        Schedule();
                        break;
                    case FilesProgress.OfAnother:
                        ScheduleNoSooner(delay);
                        break;
                }
            }
            catch (StoreFaultedException)
            {
                // Logged already. A failed flush must not be retried: the next one would succeed although the bytes are lost.
            }
            catch (Exception e)
            {
                // Also what nobody expects, as in EndableWork.
                StoreLog.FilesNotBroughtUp(logger, e);
                ScheduleNoSooner(delayOfFlush);
            }
        }
    }

    // However much is left: what failed, or is another process's duty, is not tried each millisecond.
    private void ScheduleNoSooner(TimeSpan after)
    {
        Volatile.Write(ref isSoon, 1);
        Schedule(after);
    }
}
