namespace Opossum.Following;

/// <summary>The signals between a follower and its callers in one process.</summary>
internal sealed class FollowerSignals
{
    private readonly Lock gate = new();
    private readonly List<long> wanted = [];
    private int requested;

    /// <summary>Wakes the worker.</summary>
    public Signal Work { get; } = new();

    /// <summary>Wakes the callers that wait for something that the worker does.</summary>
    public Signal Done { get; } = new();

    /// <summary>Whether the worker has read the files yet.</summary>
    public volatile bool HasBegun;

    public volatile bool IsStopped;

    /// <summary>How far the worker is; null: this process does not lead.</summary>
    public volatile FollowerProgress? Progress;

    /// <summary>What stops the worker, or a part of its work, for now; null: nothing.</summary>
    public volatile FollowerProblem? Problem;

    /// <summary>Whether this process does not run it: then nothing signals.</summary>
    public bool IsElsewhere { get; init; }

    public bool IsLeader => Progress is not null;

    /// <summary>Whether it was started and has not read its files yet.</summary>
    public bool IsStarting => this is { HasBegun: false, IsElsewhere: false, IsStopped: false };

    /// <summary>The lowest position after another that a caller waits for; 0 if there is none.</summary>
    public long WantedAfter(long position)
    {
        lock (gate)
            return wanted.Where(each => each > position).DefaultIfEmpty().Min();
    }

    /// <summary>Tells the worker that a caller waits for a position, until <see cref="EndWant"/>.</summary>
    public void Want(long position)
    {
        lock (gate)
            wanted.Add(position);
        Work.Pulse();
    }

    /// <summary>The caller waits no longer.</summary>
    public void EndWant(long position)
    {
        lock (gate)
            wanted.Remove(position);
    }

    public void Request()
    {
        Interlocked.Exchange(ref requested, 1);
        Work.Pulse();
    }

    /// <summary>Whether there was a request since the last call.</summary>
    public bool TakeRequest() => Interlocked.Exchange(ref requested, 0) == 1;
}
