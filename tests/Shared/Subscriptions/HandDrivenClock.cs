namespace Opossum.Tests.Subscriptions;

/// <summary>
/// A clock that a test moves by hand. What is due then has been done when the move returns; what is due at once is done by the pool.
/// </summary>
internal sealed class HandDrivenClock : TimeProvider
{
    private readonly Lock gate = new();
    private readonly List<HandDrivenTimer> timers = [];
    private TaskCompletionSource set = new();
    private DateTimeOffset now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>How many timers are set.</summary>
    public int TimersSet
    {
        get
        {
            lock (gate)
                return timers.Count(static timer => timer.Due is not null);
        }
    }

    public override DateTimeOffset GetUtcNow()
    {
        lock (gate)
            return now;
    }

    public override long GetTimestamp() => GetUtcNow().Ticks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new HandDrivenTimer(this, () => callback(state));
        // Order matters: who waits until the timer is set moves the clock at once.
        lock (gate)
            timers.Add(timer);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Ends when a timer is set: somebody waits for the time to pass.</summary>
    public Task UntilTimerIsSetAsync()
    {
        lock (gate)
            return timers.Exists(timer => timer.Due is not null) ? Task.CompletedTask : set.Task;
    }

    public void Advance(TimeSpan by)
    {
        List<HandDrivenTimer> due;
        lock (gate)
        {
            now += by;
            due = timers.FindAll(timer => timer.Due <= now);
            due.ForEach(timer => timer.Due = null);
        }
        due.ForEach(timer => timer.Fire());
    }

    private sealed class HandDrivenTimer(HandDrivenClock clock, Action fire) : ITimer
    {
        public DateTimeOffset? Due { get; set; }

        public Action Fire => fire;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            Assert.Equal(Timeout.InfiniteTimeSpan, period);
            if (dueTime == TimeSpan.Zero)
            {
                ThreadPool.QueueUserWorkItem(_ => fire());
                return true;
            }
            lock (clock.gate)
            {
                Due = dueTime == Timeout.InfiniteTimeSpan ? null : clock.now + dueTime;
                if (Due is not null)
                {
                    clock.set.TrySetResult();
                    clock.set = new TaskCompletionSource();
                }
            }
            return true;
        }

        public void Dispose()
        {
            lock (clock.gate)
                clock.timers.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
