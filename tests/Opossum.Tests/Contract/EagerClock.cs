namespace Opossum.Tests.Contract;

/// <summary>A clock whose timers fire the moment they are set, on the thread that sets them.</summary>
internal sealed class EagerClock : TimeProvider
{
    private readonly TaskCompletionSource fired = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends when a timer has fired and what it does has been done.</summary>
    public Task Fired => fired.Task;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new Timer(this, () => callback(state));

    private sealed class Timer(EagerClock clock, Action fire) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            fire();
            clock.fired.TrySetResult();
            return true;
        }

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
