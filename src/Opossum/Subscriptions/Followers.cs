namespace Opossum.Subscriptions;

/// <summary>The subscriptions of a store that have begun and not ended, and up to which position each has handled its events.</summary>
internal sealed class Followers
{
    private readonly Lock gate = new();
    private readonly List<Follower> active = [];
    private TaskCompletionSource changed = NewSignal();

    public Follower Add()
    {
        var follower = new Follower(this);
        lock (gate)
            active.Add(follower);
        return follower;
    }

    /// <summary>Waits until every subscription that has begun has handled its events up to a position, or has ended.</summary>
    /// <param name="position">The position.</param>
    /// <param name="needsOne">Whether one must be active: the next one may only begin when the last has ended.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public async Task WaitForAllAsync(long position, bool needsOne, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task next;
            lock (gate)
            {
                if ((active.Count > 0 || !needsOne) && active.TrueForAll(follower => follower.Covered >= position))
                    return;
                next = changed.Task;
            }
            await next.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private void Change(Action change)
    {
        TaskCompletionSource signal;
        lock (gate)
        {
            change();
            signal = changed;
            changed = NewSignal();
        }
        signal.SetResult();
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>One subscription; disposing it ends it.</summary>
    internal sealed class Follower(Followers followers) : IDisposable
    {
        private long covered = -1;

        /// <summary>The position up to which the caller has handled all events: it has requested the next one. -1: none yet.</summary>
        public long Covered
        {
            get => covered;
            set => followers.Change(() => covered = value);
        }

        public void Dispose() => followers.Change(() => followers.active.Remove(this));
    }
}
