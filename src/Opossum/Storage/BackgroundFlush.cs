using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;

namespace Opossum.Storage;

/// <summary>Makes durable, a while after they were appended and when the store is disposed, the events that were appended without flushing.</summary>
internal sealed class BackgroundFlush : IAsyncDisposable
{
    private static readonly TimeSpan Delay = TimeSpan.FromSeconds(1);

    private readonly Committer committer;
    private readonly ILogger logger;
    private readonly ITimer timer;
    private int isScheduled;

    public BackgroundFlush(Committer committer, TimeProvider clock, ILogger logger)
    {
        this.committer = committer;
        this.logger = logger;
        timer = clock.CreateTimer(static flush => ((BackgroundFlush)flush!).Flush(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Sees to it that a flush comes.</summary>
    public void Schedule()
    {
        if (Interlocked.Exchange(ref isScheduled, 1) == 0)
            timer.Change(Delay, Timeout.InfiniteTimeSpan);
    }

    public async ValueTask DisposeAsync()
    {
        await timer.DisposeAsync().ConfigureAwait(false);
        committer.FlushBehind();
    }

    private void Flush()
    {
        Volatile.Write(ref isScheduled, 0);
        try
        {
            committer.FlushBehind();
        }
        catch (Exception e)
        {
            StoreLog.NotFlushedBehind(logger, e);
            Schedule();
        }
    }
}
