namespace Opossum.Testing.Races;

/// <summary>
/// One decision in one run. It continues only when the run lets it: each of its calls waits for its turn, and between two calls it runs on the
/// run's thread unless it waits for something outside the store.
/// </summary>
internal sealed class RaceActor(int index, RaceDecision decision, RaceRun run)
{
    // For what a decision does outside the store; a decision that waits for another one would wait forever.
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(10);

    private readonly object gate = new();
    private readonly Queue<(RaceCall Call, TaskCompletionSource Turn)> waiting = new();
    private Task ending = Task.CompletedTask;

    public int Index => index;

    public string Name => decision.Name;

    /// <summary>Why the decision threw; null if it did not.</summary>
    public Exception? Error => ending.IsCanceled ? new TaskCanceledException(ending) : ending.Exception?.InnerException;

    /// <summary>The call that waits for its turn; null when the decision has ended.</summary>
    public RaceCall? Next
    {
        get
        {
            lock (gate)
                return waiting.TryPeek(out var first) ? first.Call : null;
        }
    }

    public void Start(WindowStore window)
    {
        var effects = new SideEffects(what => run.Note(new RaceCall(index, RaceCallKind.SideEffect) { Effect = what }));
        ending = RunAsync(new RaceStore(this, run, window), effects);
        Settle();
    }

    /// <summary>Called by the decision's store: waits for the turn of a call.</summary>
    public Task EnterAsync(RaceCall call)
    {
        // Without asynchronous continuations: the decision continues on the thread that gives the turn.
        var turn = new TaskCompletionSource();
        lock (gate)
        {
            waiting.Enqueue((call, turn));
            Monitor.PulseAll(gate);
        }
        return turn.Task;
    }

    /// <summary>Makes the next call, and runs the decision up to the call after it, or to its end.</summary>
    public void Step()
    {
        (RaceCall Call, TaskCompletionSource Turn) next;
        lock (gate)
            next = waiting.Dequeue();
        run.Note(next.Call);
        next.Turn.SetResult();
        Settle();
    }

    private async Task RunAsync(RaceStore store, SideEffects effects) => await decision.Run(store, effects).ConfigureAwait(false);

    private void Settle()
    {
        if (IsSettled())
            return;
        _ = ending.ContinueWith(_ => Pulse(), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        lock (gate)
        {
            while (!IsSettled())
            {
                if (!Monitor.Wait(gate, patience))
                {
                    throw new TestFailedException($"\"{Name}\" has neither called the store nor ended for {patience.TotalSeconds} s. It waits for "
                        + "something outside the store, such as a lock that another decision holds; in a race, decisions stand for processes "
                        + "that share nothing but the store.");
                }
            }
        }
    }

    private bool IsSettled() => ending.IsCompleted || Next is not null;

    private void Pulse()
    {
        lock (gate)
            Monitor.PulseAll(gate);
    }
}
