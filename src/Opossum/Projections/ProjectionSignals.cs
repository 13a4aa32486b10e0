namespace Opossum.Projections;

/// <summary>What the readers and the worker of a projection in one process tell each other. What is read comes from the disk alone.</summary>
internal sealed class ProjectionSignals
{
    private long wanted;
    private int requested;

    /// <summary>Wakes the worker.</summary>
    public Signal Work { get; } = new();

    /// <summary>Wakes those who wait for the worker to have written something.</summary>
    public Signal Done { get; } = new();

    /// <summary>The highest position that somebody waits for.</summary>
    public long Wanted => Interlocked.Read(ref wanted);

    /// <summary>Whether the worker has looked at the files yet.</summary>
    public volatile bool HasBegun;

    public volatile bool IsLeader;

    public volatile bool IsStopped;

    public volatile ProjectionProblem? Problem;

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

    /// <summary>Tells the worker that there is a request.</summary>
    public void Request()
    {
        Interlocked.Exchange(ref requested, 1);
        Work.Pulse();
    }

    /// <summary>Whether there was a request since this was asked last.</summary>
    public bool TakeRequest() => Interlocked.Exchange(ref requested, 0) == 1;
}
