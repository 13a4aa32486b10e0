using System.Threading.Channels;

namespace Opossum.Tests.Decisions;

/// <summary>A store whose appends begin when the test says so, each or all that have come.</summary>
internal sealed class HeldAppends(IEventStore store) : ForwardingStore(store)
{
    private readonly Channel<TaskCompletionSource> held = Channel.CreateUnbounded<TaskCompletionSource>();
    private volatile bool isOpen;
    private int appends;

    /// <summary>How many appends there were.</summary>
    public int Appends => appends;

    /// <summary>The next append, once it has come; completing it lets it begin.</summary>
    public ValueTask<TaskCompletionSource> NextAsync() => held.Reader.ReadAsync();

    /// <summary>Waits for a number of appends, lets them begin, and holds none from then on.</summary>
    public async Task LetGoAsync(int count)
    {
        var waiting = new List<TaskCompletionSource>();
        while (waiting.Count < count)
            waiting.Add(await NextAsync());
        isOpen = true;
        waiting.ForEach(append => append.SetResult());
    }

    public override async Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        Interlocked.Increment(ref appends);
        if (!isOpen)
        {
            var begin = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            held.Writer.TryWrite(begin);
            await begin.Task;
        }
        return await base.AppendAsync(events, condition, cancellationToken);
    }
}
