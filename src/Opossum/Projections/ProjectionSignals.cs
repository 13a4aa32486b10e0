using Opossum.Following;

namespace Opossum.Projections;

/// <summary>The signals between the readers and the worker of a projection in one process. Reads return only what is on the disk.</summary>
internal sealed class ProjectionSignals : FollowerSignals
{
    private long wanted;
    private long written;

    /// <summary>The highest position that a caller waits for.</summary>
    public long Wanted => Interlocked.Read(ref wanted);

    /// <summary>The position up to which the live states include events; known while this process leads.</summary>
    public long Written
    {
        get => Interlocked.Read(ref written);
        set => Interlocked.Exchange(ref written, value);
    }

    public override void Want(long position)
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
}
