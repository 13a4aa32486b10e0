using Opossum.Testing.Simulated;

namespace Opossum.Testing;

/// <summary>
/// A clock that stands still until a test moves it. Timers and delays that use it fire when the clock reaches their time, in order, during the
/// call that moves it.
/// </summary>
/// <remarks>
/// It starts at 1 January 2000, 00:00 UTC: code that reads the system's clock instead of this one is then years away, and a test notices it.
/// A pause of an in-memory store, such as the wait for a lock, moves the clock instead of taking real time. Thread-safe.
/// </remarks>
/// <example><code>
/// var clock = new TestClock();
/// await using var store = InMemoryEventStore.Open(new OpossumOptions { TimeProvider = clock });
/// clock.Advance(TimeSpan.FromDays(3));
/// </code></example>
public sealed class TestClock : TimeProvider, ISteppedClock
{
    private static readonly DateTimeOffset defaultStart = new(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly Lock gate = new();
    private readonly List<TestTimer> timers = [];
    private long ticks;
    private long shift;

    /// <summary>Creates a clock.</summary>
    /// <param name="start">The time that it shows at first. Null, the default: 1 January 2000, 00:00 UTC.</param>
    public TestClock(DateTimeOffset? start = null) => ticks = (start ?? defaultStart).UtcTicks;

    /// <summary>UTC.</summary>
    public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

    /// <summary>10,000,000: the timestamp counts units of 100 ns.</summary>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>How far away the clock shows the time while a projection is checked, without firing timers.</summary>
    internal TimeSpan Shift { set => Interlocked.Exchange(ref shift, value.Ticks); }

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow() => new(GetTimestamp(), TimeSpan.Zero);

    /// <inheritdoc/>
    public override long GetTimestamp() => Math.Max(0, Interlocked.Read(ref ticks) + Interlocked.Read(ref shift));

    /// <summary>Moves the clock forward, and fires the timers that become due, each at its time.</summary>
    /// <param name="time">The duration: 0 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException">The duration is negative.</exception>
    public void Advance(TimeSpan time)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        var target = Interlocked.Read(ref ticks) + time.Ticks;
        while (TakeDue(target) is { } timer)
            timer.Fire();
    }

    /// <summary>Moves the clock forward to a time, and fires the timers that become due, each at its time.</summary>
    /// <param name="time">The time: not before the current one.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is before the current one.</exception>
    public void MoveTo(DateTimeOffset time) => Advance(time - new DateTimeOffset(Interlocked.Read(ref ticks), TimeSpan.Zero));

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new TestTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    // Moves to the time of the next timer, or to the target if no timer is due before it.
    private TestTimer? TakeDue(long target)
    {
        lock (gate)
        {
            var next = timers.Where(timer => timer.Due <= target).MinBy(static timer => timer.Due);
            Interlocked.Exchange(ref ticks, Math.Max(Interlocked.Read(ref ticks), next?.Due ?? target));
            if (next is not null && !next.Repeat())
                timers.Remove(next);
            return next;
        }
    }

    private sealed class TestTimer(TestClock clock, Action callback) : ITimer
    {
        private long period;
        private int changes;
        private bool isDisposed;

        public long Due { get; private set; }

        public void Fire() => callback();

        public bool Repeat()
        {
            Due += period;
            return period > 0;
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            int change;
            lock (clock.gate)
            {
                clock.timers.Remove(this);
                if (isDisposed)
                    return false;
                change = ++changes;
                this.period = Math.Max(0, period.Ticks);
                Due = Interlocked.Read(ref clock.ticks) + dueTime.Ticks;
                if (dueTime > TimeSpan.Zero)
                    clock.timers.Add(this);
            }
            // As the system's timers do, one that is due at once fires on another thread.
            if (dueTime == TimeSpan.Zero)
                ThreadPool.QueueUserWorkItem(FireNow, change, preferLocal: false);
            return true;
        }

        public void Dispose()
        {
            lock (clock.gate)
            {
                isDisposed = true;
                clock.timers.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }

        // Unless it was changed again.
        private void FireNow(int change)
        {
            lock (clock.gate)
            {
                if (isDisposed || change != changes)
                    return;
                if (Repeat())
                    clock.timers.Add(this);
            }
            callback();
        }
    }
}
