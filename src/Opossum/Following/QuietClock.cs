using System.Diagnostics;

namespace Opossum.Following;

/// <summary>
/// The system's clock with timers for short looks at files, all on one thread of the process. A timer of the pool makes its threads spin for about
/// a millisecond after each tick, which an idle process would pay ten times a second.
/// </summary>
/// <remarks>A callback must be short, and must not call an app's code: the others wait for it.</remarks>
internal sealed class QuietClock : TimeProvider
{
    // The thread ends after being idle for this long; the next timer starts another.
    private static readonly TimeSpan idleTimeMax = TimeSpan.FromSeconds(10);

    private static readonly QuietClock instance = new();

    private readonly object gate = new();
    private readonly List<QuietTimer> set = [];
    private bool isRunning;

    private QuietClock()
    {
    }

    /// <summary>The clock with such timers in place of the system's; any other clock keeps its own.</summary>
    public static TimeProvider Of(TimeProvider clock) => clock == System ? instance : clock;

    /// <summary>Waits for a time, or for ever if it is negative; what follows runs on the pool.</summary>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public static async Task DelayAsync(TimeProvider clock, TimeSpan time, CancellationToken cancellationToken)
    {
        var over = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var timer = Of(clock).CreateTimer(static over => ((TaskCompletionSource)over!).TrySetResult(), over, time, Timeout.InfiniteTimeSpan);
        await using (timer.ConfigureAwait(false))
            await over.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Creates a timer that runs once each time it is set.</summary>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new QuietTimer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    private void Set(QuietTimer timer, TimeSpan due)
    {
        lock (gate)
        {
            if (due < TimeSpan.Zero)
            {
                set.Remove(timer);
                return;
            }
            timer.Due = Stopwatch.GetTimestamp() + (long)(due.TotalSeconds * Stopwatch.Frequency);
            if (!set.Contains(timer))
                set.Add(timer);
            if (!isRunning)
                new Thread(Run) { IsBackground = true, Name = "Opossum looks" }.UnsafeStart();
            isRunning = true;
            Monitor.Pulse(gate);
        }
    }

    private void Run()
    {
        while (Next() is { } timer)
            timer.Run();
    }

    // Null: no timer was set within the idle time.
    private QuietTimer? Next()
    {
        lock (gate)
        {
            while (true)
            {
                var first = set.MinBy(static timer => timer.Due);
                var left = first is null ? idleTimeMax : Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), first.Due);
                if (left <= TimeSpan.Zero)
                {
                    set.Remove(first!);
                    return first;
                }
                // Up to the next millisecond: a wait that ends early would be repeated.
                var isPulsed = Monitor.Wait(gate, (int)Math.Min(Math.Ceiling(left.TotalMilliseconds), int.MaxValue));
                if (!isPulsed && set.Count == 0)
                {
                    isRunning = false;
                    return null;
                }
            }
        }
    }

    private sealed class QuietTimer(QuietClock clock, TimerCallback callback, object? state) : ITimer
    {
        /// <summary>The timestamp at which it runs.</summary>
        public long Due { get; set; }

        public void Run() => callback(state);

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (period != Timeout.InfiniteTimeSpan)
                throw new NotSupportedException("Such a timer runs once each time it is set.");
            clock.Set(this, dueTime);
            return true;
        }

        public void Dispose() => clock.Set(this, Timeout.InfiniteTimeSpan);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
