using Opossum.FileSystem;

namespace Opossum.Leading;

/// <summary>
/// Looks whether other processes have sent requests to what this process leads. One look serves all that a runner runs: a hundred reactions cost
/// an idle process one timer.
/// </summary>
internal sealed class RequestWatch : IDisposable
{
    private readonly LeadHost host;
    private readonly TimeSpan interval;
    private readonly (LedFolder Folder, LeadSignals Signals)[] watched;
    private readonly ITimer timer;
    private volatile bool isDisposed;

    /// <param name="host">The store.</param>
    /// <param name="interval">The pause between two looks.</param>
    /// <param name="watched">The folders, and what wakes the worker of each.</param>
    public RequestWatch(LeadHost host, TimeSpan interval, (LedFolder Folder, LeadSignals Signals)[] watched)
    {
        this.host = host;
        this.interval = interval;
        this.watched = watched;
        timer = QuietClock.Of(host.Clock)
            .CreateTimer(static watch => ((RequestWatch)watch!).Run(), this, interval, Timeout.InfiniteTimeSpan);
    }

    public void Dispose()
    {
        isDisposed = true;
        timer.Dispose();
    }

    private void Run()
    {
        // A look at a share takes long, and the timers of others wait for this one.
        if (host.Volume.IsNetwork)
            ThreadPool.UnsafeQueueUserWorkItem(static watch => watch.Look(), this, preferLocal: false);
        else
            Look();
    }

    private void Look()
    {
        foreach (var (folder, signals) in watched)
        {
            if (signals.IsLeader && !isDisposed && HasRequests(folder))
                signals.Request();
        }
        if (!isDisposed)
            timer.Change(interval, Timeout.InfiniteTimeSpan);
    }

    private bool HasRequests(LedFolder folder)
    {
        try
        {
            return LeaderRequest.List(host.FileSystem, folder).Count > 0;
        }
        catch (FileSystemException)
        {
            // The next look may succeed; what the worker does itself reports problems.
            return false;
        }
    }
}
