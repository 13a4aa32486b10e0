using System.Collections.Concurrent;

namespace Opossum.Tests.Projections;

/// <summary>The system's clock, which a test moves forward; it keeps what is waited for.</summary>
internal sealed class MovedClock : TimeProvider
{
    private long moved;

    public ConcurrentQueue<TimeSpan> Waits { get; } = new();

    public override long TimestampFrequency => System.TimestampFrequency;

    public override DateTimeOffset GetUtcNow() => System.GetUtcNow() + TimeSpan.FromTicks(Interlocked.Read(ref moved));

    public override long GetTimestamp() =>
        System.GetTimestamp() + (long)(TimeSpan.FromTicks(Interlocked.Read(ref moved)).TotalSeconds * TimestampFrequency);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Waits.Enqueue(dueTime);
        return System.CreateTimer(callback, state, dueTime, period);
    }

    public void Move(TimeSpan by) => Interlocked.Add(ref moved, by.Ticks);
}
