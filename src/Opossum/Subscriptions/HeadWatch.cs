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
    private readonly Lock gate = new();
    private TaskCompletionSource woken = NewSignal();
    private long headWhenLastWoken;
    private int waiting;
    private bool isPolling;
    private bool isDisposed;

    /// <param name="store">The store; it is asked for its head by the poll.</param>
    /// <param name="knownHead">The head as far as this process knows it, without a look at the files.</param>
    /// <param name="pollInterval">How long after a look at the files the next one comes.</param>
    /// <param name="clock">The clock that the interval is measured by.</param>
    public HeadWatch(IEventStore store, Func<long> knownHead, TimeSpan pollInterval, TimeProvider clock)
    {
        this.store = store;
        this.knownHead = knownHead;
        this.pollInterval = pollInterval;
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
            // Order matters: a commit is known before it wakes. So one that this does not see wakes the signal that is taken here.
            if (knownHead() > position)
                return;
            signal = woken.Task;
            waiting++;
            SchedulePoll();
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

    /// <summary>Wakes those who wait if the head is known to have moved. Those who call it do not wait for them: they go on on threads of the pool.</summary>
    public void WakeIfMoved()
    {
        lock (gate)
        {
            var head = knownHead();
            if (head == headWhenLastWoken)
                return;
            headWhenLastWoken = head;
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
    }

    // One work item, however many wait: the thread that commits has other callers to tell.
    private void Wake()
    {
        if (waiting == 0)
            return;
        ThreadPool.UnsafeQueueUserWorkItem(static signal => signal.SetResult(), woken, preferLocal: false);
        woken = NewSignal();
    }

    private void SchedulePoll()
    {
        if (isPolling)
            return;
        isPolling = true;
        pollTimer.Change(pollInterval, Timeout.InfiniteTimeSpan);
    }

    private async Task PollAsync()
    {
        lock (gate)
        {
            if (waiting == 0)
            {
                isPolling = false;
                return;
            }
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
            isPolling = false;
            if (waiting > 0 && !isDisposed)
                SchedulePoll();
        }
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
