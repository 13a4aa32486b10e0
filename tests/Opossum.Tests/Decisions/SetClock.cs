namespace Opossum.Tests.Decisions;

/// <summary>A clock that tells the time of day that was set, while pauses take the time they take.</summary>
internal sealed class SetClock : TimeProvider
{
    private DateTimeOffset now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override DateTimeOffset GetUtcNow() => now;

    public void Advance(TimeSpan time) => now += time;
}
