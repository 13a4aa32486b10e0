using Opossum.Leading;

namespace Opossum.Projections;

/// <summary>The signals between the readers and the worker of a projection in one process. Reads return only what is on the disk.</summary>
internal sealed class ProjectionSignals
{
    private long wanted;
    private long written;
    private int requested;

    /// <summary>Wakes the worker.</summary>
    public Signal Work { get; } = new();

    /// <summary>Wakes the callers that wait for a write of the worker.</summary>
    public Signal Done { get; } = new();

    /// <summary>The highest position that a caller waits for.</summary>
    public long Wanted => Interlocked.Read(ref wanted);

    /// <summary>The position up to which the live states include events; known while this process leads.</summary>
    public long Written
    {
        get => Interlocked.Read(ref written);
        set => Interlocked.Exchange(ref written, value);
    }

    /// <summary>Whether the worker has read the files yet.</summary>
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

    /// <summary>Signals a request to the worker.</summary>
    public void Request()
    {
        Interlocked.Exchange(ref requested, 1);
        Work.Pulse();
    }

    /// <summary>Whether there was a request since the last call.</summary>
    public bool TakeRequest() => Interlocked.Exchange(ref requested, 0) == 1;
}
