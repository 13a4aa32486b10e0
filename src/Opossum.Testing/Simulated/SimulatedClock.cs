namespace Opossum.Testing.Simulated;

/// <summary>A clock that stands still until somebody pauses, or an operation takes its time. Its timers are the system's.</summary>
internal sealed class SimulatedClock : TimeProvider
{
    private long ticks = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).Ticks;

    /// <summary>How long each operation takes: a round trip to the server.</summary>
    public TimeSpan OperationTime { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public void Advance(TimeSpan time) => Interlocked.Add(ref ticks, time.Ticks);

    internal void PassOperation() => Advance(OperationTime);

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref ticks), TimeSpan.Zero);

    public override long GetTimestamp() => Interlocked.Read(ref ticks);
}
