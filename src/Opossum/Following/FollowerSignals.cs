namespace Opossum.Following;

/// <summary>The signals between a follower and its callers in one process.</summary>
internal class FollowerSignals
{
    private int requested;

    /// <summary>Wakes the worker.</summary>
    public Signal Work { get; } = new();

    /// <summary>Wakes the callers that wait for something that the worker does.</summary>
    public Signal Done { get; } = new();

    /// <summary>Whether the worker has read the files yet.</summary>
    public volatile bool HasBegun;

    public volatile bool IsLeader;

    public volatile bool IsStopped;

    /// <summary>Whether this process does not run it: then nothing signals.</summary>
    public bool IsElsewhere { get; init; }

    /// <summary>What stops the worker for now; null: nothing.</summary>
    public volatile FollowerProblem? Problem;

    /// <summary>Tells the worker that a caller waits for a position.</summary>
    public virtual void Want(long position)
    {
    }

    /// <summary>Signals a request to the worker.</summary>
    public void Request()
    {
        Interlocked.Exchange(ref requested, 1);
        Work.Pulse();
    }

    /// <summary>Whether there was a request since the last call.</summary>
    public bool TakeRequest() => Interlocked.Exchange(ref requested, 0) == 1;
}
