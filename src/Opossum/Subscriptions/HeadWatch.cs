namespace Opossum.Subscriptions;

/// <summary>
/// Wakes waiters for new events: at once after a commit of this process, within the poll interval after a commit of another process. One poll
/// serves all waiters; without waiters there is none.
/// </summary>
internal sealed class HeadWatch : IDisposable
{
    private readonly IEventStore store;
    private readonly Func<long> knownHead;
    private readonly TimeSpan pollInterval;
    private readonly TimeProvider clock;
    private readonly Func<Action, IDisposable?> startHints;
    private readonly Lock gate = new();
    private TaskCompletionSource woken = NewSignal();
    private IDisposable? hints;
    private ITimer? pollTimer;
    private int waiting;
    private long headOfThoseWhoWait;
    private bool hasBegun;
    private bool isPollSet;
    private bool isPolling;
    private bool isHinted;
    private bool isDisposed;

    /// <param name="knownHead">The head that this process knows, without reading the files.</param>
    /// <param name="pollInterval">The pause between two polls of the files.</param>
    /// <param name="startHints">
    /// Starts calling back when the head may have moved, so that the next poll runs at once; returns null where no such hints exist.
    /// </param>
    public HeadWatch(IEventStore store, Func<long> knownHead, TimeSpan pollInterval, TimeProvider clock, Func<Action, IDisposable?> startHints)
    {
        this.store = store;
        this.knownHead = knownHead;
        this.pollInterval = pollInterval;
        this.startHints = startHints;
        this.clock = clock;
    }

    /// <summary>The subscriptions that wait here.</summary>
    public Followers Followers { get; } = new();

    /// <summary>Waits until an event may exist after a position. The woken caller reads, and may find nothing.</summary>
    /// <exception cref="ObjectDisposedException">The store is being closed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public async ValueTask WaitBeyondAsync(long position, CancellationToken cancellationToken)
    {
        Task signal;
        lock (gate)
        {
            // Who stops cancels first and closes the store then: a caller that comes late was cancelled.
            if (isDisposed)
                cancellationToken.ThrowIfCancellationRequested();
            ObjectDisposedException.ThrowIf(isDisposed, typeof(IEventStore));
            // A commit is known before it wakes, so a commit that is not known here completes the signal taken now.
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

    /// <summary>Wakes the waiters if the known head has moved. They continue on pool threads, not on the caller's thread.</summary>
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
        pollTimer?.Dispose();
        hints?.Dispose();
    }

    // One work item for all waiters: the committing thread must return to its own callers.
    private void Wake()
    {
        if (waiting == 0)
            return;
        ThreadPool.UnsafeQueueUserWorkItem(static signal => signal.SetResult(), woken, preferLocal: false);
        woken = NewSignal();
    }

    // A store without subscribers needs no hints.
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
        pollTimer ??=
            clock.CreateTimer(static watch => _ = ((HeadWatch)watch!).PollAsync(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        pollTimer.Change(isHinted ? TimeSpan.Zero : pollInterval, Timeout.InfiniteTimeSpan);
    }

    private void PollSoon()
    {
        lock (gate)
        {
            isHinted = true;
            if (isPollSet && !isPolling)
                pollTimer!.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
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
            // Every waiter reads for itself, and meets the failure itself unless it has passed.
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
