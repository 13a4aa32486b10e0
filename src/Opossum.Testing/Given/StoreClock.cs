using Opossum.Testing.Simulated;

namespace Opossum.Testing.Given;

/// <summary>
/// The clock of a scenario's store: the test's clock, except while given events are appended, each at the time at which it was given. Its timers are
/// the system's: the store polls and retries although the test's clock stands still.
/// </summary>
internal sealed class StoreClock(TestClock clock) : TimeProvider, ISteppedClock
{
    public DateTimeOffset? Given { get; set; }

    public override TimeZoneInfo LocalTimeZone => clock.LocalTimeZone;

    public override long TimestampFrequency => clock.TimestampFrequency;

    public void Advance(TimeSpan time) => clock.Advance(time);

    public override DateTimeOffset GetUtcNow() => Given ?? clock.GetUtcNow();

    public override long GetTimestamp() => clock.GetTimestamp();
}
