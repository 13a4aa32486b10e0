namespace Opossum.Following;

/// <summary>The signals between a follower and its callers in one process.</summary>
internal sealed class FollowerSignals
{
    private int requested;
    private long wanted;

    /// <summary>Wakes the worker.</summary>
    public Signal Work { get; } = new();

    /// <summary>Wakes the callers that wait for something that the worker does.</summary>
    public Signal Done { get; } = new();

    /// <summary>Whether the worker has read the files yet.</summary>
    public volatile bool HasBegun;

    public volatile bool IsStopped;

    /// <summary>How far the worker is; null: this process does not lead.</summary>
    public volatile FollowerProgress? Progress;

    /// <summary>What stops the worker for now; null: nothing.</summary>
    public volatile FollowerProblem? Problem;

    /// <summary>Whether this process does not run it: then nothing signals.</summary>
    public bool IsElsewhere { get; init; }

    public bool IsLeader => Progress is not null;

    /// <summary>Whether it was started and has not read its files yet.</summary>
    public bool IsStarting => this is { HasBegun: false, IsElsewhere: false, IsStopped: false };

    /// <summary>The highest position that a caller waits for.</summary>
    public long Wanted => Interlocked.Read(ref wanted);

    /// <summary>Tells the worker that a caller waits for a position.</summary>
    public void Want(long position)
    {
        for (var known = Wanted; known < position;)
        {
            var found = Interlocked.CompareExchange(ref wanted, position, known);
            if (found == known)
            {
                Work.Pulse();
                return;
            }
            known = found;
        }
    }

    public void Request()
    {
        Interlocked.Exchange(ref requested, 1);
        Work.Pulse();
    }

    /// <summary>Whether there was a request since the last call.</summary>
    public bool TakeRequest() => Interlocked.Exchange(ref requested, 0) == 1;
}
