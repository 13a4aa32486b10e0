namespace Opossum.Following;

/// <summary>
/// Looks whether other processes have sent requests to what this process leads. One look serves all that a runner runs: a hundred reactions cost
/// an idle process one timer.
/// </summary>
internal sealed class RequestWatch : IDisposable
{
    private readonly FollowerHost host;
    private readonly IReadOnlyList<Follower> followers;
    private readonly ITimer timer;
    private volatile bool isDisposed;

    public RequestWatch(FollowerHost host, IReadOnlyList<Follower> followers)
    {
        this.host = host;
        this.followers = followers;
        timer = QuietClock.Of(host.Clock)
            .CreateTimer(static watch => ((RequestWatch)watch!).Run(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        // A look sets the timer again, so the field is assigned before the first look.
        timer.Change(host.TakeOverInterval, Timeout.InfiniteTimeSpan);
    }

    public void Dispose()
    {
        isDisposed = true;
        timer.Dispose();
    }

    private void Run()
    {
        // A look at a share takes long, and the timers of others wait for this one.
        if (host.Volume.TakesRoundTrips)
            ThreadPool.UnsafeQueueUserWorkItem(static watch => watch.Look(), this, preferLocal: false);
        else
            Look();
    }

    private void Look()
    {
        foreach (var follower in followers)
        {
            // Also without requests, a problem of theirs may have passed.
            if (follower.Signals.IsLeader && !isDisposed && (follower.Signals.Problem is not null || HasRequests(follower.Folder)))
                follower.Signals.Request();
        }
        if (!isDisposed)
            timer.Change(host.TakeOverInterval, Timeout.InfiniteTimeSpan);
    }

    private bool HasRequests(LedFolder folder)
    {
        try
        {
            return LeaderRequest.List(host.FileSystem, folder).Count > 0;
        }
        catch (Exception)
        {
            // The follower's own look reports that, and that it has passed. Nobody else could catch it: the app would end.
            return true;
        }
    }
}
