using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Commit;

/// <summary>Writes the event files of events in the journal: a moment after an append, and when the store is disposed.</summary>
internal sealed class JournalDrain : IDisposable
{
    private const int FewEvents = 1_000;

    // A burst is over by then, and the files are there within a second.
    private static readonly TimeSpan delay = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan delayOfMany = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan delayAfterFailure = TimeSpan.FromSeconds(1);

    private readonly Committer committer;
    private readonly ILogger logger;
    private readonly ITimer timer;
    private readonly Lock working = new();
    private int isScheduled;
    private bool isDisposed;

    public JournalDrain(Committer committer, TimeProvider clock, ILogger logger)
    {
        this.committer = committer;
        this.logger = logger;
        timer = clock.CreateTimer(static drain => ((JournalDrain)drain!).Run(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Schedules the work if none is scheduled.</summary>
    public void Schedule() => Schedule(delay);

    /// <summary>Writes the event files that are left, and stops. What cannot be written stays in the journal, for the next opening.</summary>
    public void Dispose()
    {
        Volatile.Write(ref isDisposed, true);
        timer.Dispose();
        lock (working)
        {
            if (committer.FaultedBy is null)
                Try(committer.EmptyJournal);
        }
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
            if (Volatile.Read(ref isDisposed))
                return;
            var isDone = false;
            if (!Try(() => isDone = committer.TryDrainJournal()))
                Schedule(delayAfterFailure);
            else if (!isDone)
                Schedule(committer.EventsInJournal > FewEvents ? delayOfMany : delay);
        }
    }

    private bool Try(Action work)
    {
        try
        {
            work();
            return true;
        }
        catch (StoreFaultedException)
        {
            // Logged already.
            return true;
        }
        catch (Exception e) when (e is EventStoreException or FileSystemException or DiskStateUnknownException or LockLostException)
        {
            StoreLog.JournalNotDrained(logger, e);
            return false;
        }
    }
}
