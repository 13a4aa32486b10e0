namespace Opossum.Subscriptions;

/// <summary>
/// Wakes those who wait for further events: at once after a commit of this process, within the poll interval after one of another
/// process. There is one poll for all who wait, and none while nobody does.
/// </summary>
internal sealed class HeadWatch : IDisposable
{
    private readonly IEventStore store;
    private readonly Func<long> knownHead;
    private readonly TimeSpan pollInterval;
    private readonly ITimer pollTimer;
    private readonly Func<Action, IDisposable?> startHints;
    private readonly Lock gate = new();
    private TaskCompletionSource woken = NewSignal();
    private IDisposable? hints;
    private int waiting;
    private long headOfThoseWhoWait;
    private bool hasBegun;
    private bool isPollSet;
    private bool isPolling;
    private bool isHinted;
    private bool isDisposed;

    /// <param name="store">The store; it is asked for its head by the poll.</param>
    /// <param name="knownHead">The head as far as this process knows it, without a look at the files.</param>
    /// <param name="pollInterval">How long after a look at the files the next one comes.</param>
    /// <param name="clock">The clock that the interval is measured by.</param>
    /// <param name="startHints">Begins to call when the head may have moved, so that the next look comes at once; null where there are no such hints.</param>
    public HeadWatch(IEventStore store, Func<long> knownHead, TimeSpan pollInterval, TimeProvider clock, Func<Action, IDisposable?> startHints)
    {
        this.store = store;
        this.knownHead = knownHead;
        this.pollInterval = pollInterval;
        this.startHints = startHints;
        pollTimer = clock.CreateTimer(static watch => _ = ((HeadWatch)watch!).PollAsync(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Waits until there may be an event behind a position: whoever was woken reads, and may find nothing.</summary>
    /// <exception cref="ObjectDisposedException">The store is being closed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public async ValueTask WaitBeyondAsync(long position, CancellationToken cancellationToken)
    {
        Task signal;
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(isDisposed, typeof(IEventStore));
            // Order matters: a commit is known before it wakes, so one that is not known here wakes the signal that is taken now.
            var head = knownHead();
            if (head > position)
                return;
            signal = woken.Task;
            if (waiting++ == 0)
                headOfThoseWhoWait = head;
            Begin();
            SetPoll();
        }
        try
        {
            await signal.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            lock (gate)
                waiting--;
        }
    }

    /// <summary>Wakes those who wait if the head is known to have moved. They go on on threads of the pool, not on the caller's.</summary>
    public void WakeIfMoved()
    {
        lock (gate)
        {
            var head = knownHead();
            if (head == headOfThoseWhoWait)
                return;
            headOfThoseWhoWait = head;
            Wake();
        }
    }

    /// <summary>Ends all waits, and every later one, with <see cref="ObjectDisposedException"/>.</summary>
    public void Dispose()
    {
        lock (gate)
        {
            isDisposed = true;
            Wake();
        }
        pollTimer.Dispose();
        hints?.Dispose();
    }

    // One work item, however many wait: the thread that commits has callers to tell.
    private void Wake()
    {
        if (waiting == 0)
            return;
        ThreadPool.UnsafeQueueUserWorkItem(static signal => signal.SetResult(), woken, preferLocal: false);
        woken = NewSignal();
    }

    // A store that nobody subscribes to needs no hints.
    private void Begin()
    {
        if (hasBegun)
            return;
        hasBegun = true;
        hints = startHints(PollSoon);
    }

    private void SetPoll()
    {
        if (isPollSet)
            return;
        isPollSet = true;
        pollTimer.Change(isHinted ? TimeSpan.Zero : pollInterval, Timeout.InfiniteTimeSpan);
    }

    private void PollSoon()
    {
        lock (gate)
        {
            isHinted = true;
            if (isPollSet && !isPolling)
                pollTimer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        }
    }

    private async Task PollAsync()
    {
        lock (gate)
        {
            isPollSet = isPolling = waiting > 0;
            if (!isPolling)
                return;
            isHinted = false;
        }
        try
        {
            await store.GetHeadAsync().ConfigureAwait(false);
            WakeIfMoved();
        }
        catch (Exception)
        {
            // Each who waits reads for himself, and meets the failure himself unless it has passed.
            lock (gate)
                Wake();
        }
        lock (gate)
        {
            isPollSet = isPolling = false;
            if (waiting > 0 && !isDisposed)
                SetPoll();
        }
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
