namespace Opossum.Benchmarks.Journal;

/// <summary>The system's clock, whose timers never fire: nothing is written from the journal unless the benchmark says so.</summary>
internal sealed class ClockWithoutTimers : TimeProvider
{
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => new Timer();

    private sealed class Timer : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}
