using System.Collections.Concurrent;

namespace Opossum.Tests.Reactions;

/// <summary>A reaction to "placed" and "paid" that writes down what it was given, and lets a test decide what a handler does.</summary>
internal sealed class RecordingReaction : Reaction
{
    private readonly Func<ReactionContext, CancellationToken, Task>? handle;
    private readonly Func<Exception, bool>? parkedAt;
    private TaskCompletionSource another = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public RecordingReaction(ReactionStart? start, Func<ReactionContext, CancellationToken, Task>? handle = null, bool isKeyed = true,
        string name = "recording", Func<SequencedEvent, string>? keyOf = null, bool continues = false, Func<Exception, bool>? parkedAt = null,
        bool handlesPlaced = true)
        : base(name)
    {
        this.handle = handle;
        if (start is not null)
            StartFrom(start);
        this.parkedAt = parkedAt;
        if (keyOf is not null)
            KeyBy(keyOf);
        else if (isKeyed)
            KeyBy("order");
        if (continues)
            ContinueWhenParked();
        if (handlesPlaced)
            On("placed", RecordAsync);
        On("paid", RecordAsync);
    }

    /// <summary>What was handled, in the order in which the handlers returned.</summary>
    public ConcurrentQueue<(long Position, int Attempt, string Key)> Handled { get; } = new();

    public IEnumerable<long> Positions => Handled.Select(each => each.Position);

    public static NewEvent Placed(string order) => NewEvent.FromJson("placed", "{}", new Tag("order", order));

    public static NewEvent Paid(string order) => NewEvent.FromJson("paid", "{}", new Tag("order", order));

    public async Task WaitForAsync(int count)
    {
        // The signal is taken first.
        for (var next = another.Task; Handled.Count < count; next = another.Task)
            await next.WaitAsync(TestContext.Current.CancellationToken);
    }

    protected override bool IsPermanent(Exception exception) => parkedAt?.Invoke(exception) == true;

    private async Task RecordAsync(ReactionContext context, CancellationToken cancellationToken)
    {
        if (handle is not null)
            await handle(context, cancellationToken);
        Handled.Enqueue((context.Event.Position, context.Attempt, context.IdempotencyKey));
        Interlocked.Exchange(ref another, new(TaskCreationOptions.RunContinuationsAsynchronously)).SetResult();
    }
}
