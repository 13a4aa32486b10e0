namespace Opossum.Testing.Simulated;

/// <summary>A clock that advances only when a caller pauses or an operation of the disk takes time. Its timers are the system's.</summary>
internal sealed class SimulatedClock : TimeProvider, ISteppedClock
{
    private long ticks = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).Ticks;
    private long offset;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>Another clock that shows the same time.</summary>
    public SimulatedClock Copy() =>
        new() { ticks = Interlocked.Read(ref ticks), offset = Interlocked.Read(ref offset) };

    public void Advance(TimeSpan time) => Interlocked.Add(ref ticks, time.Ticks);

    /// <summary>Shows another time of day, as when a person sets the clock; time passes as before.</summary>
    /// <param name="ahead">How far it is ahead of the time that has passed.</param>
    public void Set(TimeSpan ahead) => Interlocked.Exchange(ref offset, ahead.Ticks);

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref ticks) + Interlocked.Read(ref offset), TimeSpan.Zero);

    public override long GetTimestamp() => Interlocked.Read(ref ticks);
}
