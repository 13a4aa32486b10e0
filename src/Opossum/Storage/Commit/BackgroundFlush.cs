using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Storage.Commit;

/// <summary>Flushes events that were appended without flushing: a moment after the append, and when the store is disposed.</summary>
internal sealed class BackgroundFlush : IDisposable
{
    private static readonly TimeSpan delay = TimeSpan.FromSeconds(1);

    private readonly Committer committer;
    private readonly ILogger logger;
    private readonly ITimer timer;
    private int isScheduled;
    private bool isDisposed;

    public BackgroundFlush(Committer committer, TimeProvider clock, ILogger logger)
    {
        this.committer = committer;
        this.logger = logger;
        timer = clock.CreateTimer(static flush => ((BackgroundFlush)flush!).Flush(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Schedules a flush if none is scheduled.</summary>
    public void Schedule()
    {
        if (Interlocked.Exchange(ref isScheduled, 1) == 0)
            timer.Change(delay, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Flushes what is left and stops.</summary>
    /// <exception cref="StoreFaultedException">The events could not be made durable.</exception>
    public void Dispose()
    {
        Volatile.Write(ref isDisposed, true);
        timer.Dispose();
        try
        {
            committer.FlushBehind();
        }
        catch (FileSystemException e)
        {
            throw new StoreFaultedException(AppendOutcome.Unknown,
                "Events that were appended without flushing may not be durable: a power cut may remove them. The next append to the store makes "
                    + $"them durable. What failed: {e.Message}", e);
        }
    }

    private void Flush()
    {
        Volatile.Write(ref isScheduled, 0);
        if (Volatile.Read(ref isDisposed))
            return;
        try
        {
            committer.FlushBehind();
        }
        catch (StoreFaultedException)
        {
            // Logged already. A failed flush must not be retried: the next one would succeed although the bytes are lost.
        }
        catch (Exception e) when (e is EventStoreException or FileSystemException or ObjectDisposedException)
        {
            if (Volatile.Read(ref isDisposed))
                return;
            StoreLog.NotFlushedBehind(logger, e);
            Schedule();
        }
    }
}
