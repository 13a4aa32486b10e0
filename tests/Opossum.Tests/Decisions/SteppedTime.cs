using System.Threading.Channels;

namespace Opossum.Tests.Decisions;

/// <summary>A clock whose pauses end when the test says so, and which tells how long they were to be.</summary>
internal sealed class SteppedTime : TimeProvider
{
    private readonly Channel<Pause> pauses = Channel.CreateUnbounded<Pause>();

    /// <summary>The next pause, once it has begun.</summary>
    public ValueTask<Pause> NextPauseAsync() => pauses.Reader.ReadAsync();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var pause = new Pause(dueTime, () => callback(state));
        pauses.Writer.TryWrite(pause);
        return pause;
    }

    internal sealed class Pause(TimeSpan length, Action end) : ITimer
    {
        public TimeSpan Length => length;

        public void End() => end();

        public bool Change(TimeSpan dueTime, TimeSpan period) => throw new NotSupportedException("A pause has one length.");

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
