using System.Diagnostics;

namespace Opossum.Benchmarks.Reactions;

/// <summary>A reaction whose handlers do nothing but to note when they begin.</summary>
internal sealed class TimedReaction : Reaction
{
    private readonly TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int count;
    private readonly Action<long, long>? whenBegun;
    private int begun;

    /// <param name="name">The name.</param>
    /// <param name="start">Where it begins.</param>
    /// <param name="count">With how many handled events <see cref="Done"/> completes.</param>
    /// <param name="whenBegun">Gets the position of an event and the timestamp at which its handler begins. Null: nothing does.</param>
    public TimedReaction(string name, ReactionStart start, int count, Action<long, long>? whenBegun = null)
        : base(name)
    {
        this.count = count;
        this.whenBegun = whenBegun;
        StartFrom(start);
        KeyBy(PaidEvents.KeyTag);
        On(PaidEvents.EventType, Handle);
    }

    /// <summary>Completes when that number of events is handled.</summary>
    public Task Done => done.Task;

    private Task Handle(ReactionContext context, CancellationToken cancellationToken)
    {
        whenBegun?.Invoke(context.Event.Position, Stopwatch.GetTimestamp());
        if (Interlocked.Increment(ref begun) == count)
            done.SetResult();
        return Task.CompletedTask;
    }
}
