namespace Opossum.Storage;

/// <summary>
/// Appends that wait for their turn. Whatever has queued while a group was being committed is the next group: no timer, no size to configure.
/// One thread of the pool at a time commits; callers' threads never do.
/// </summary>
/// <param name="committer">Commits the groups.</param>
/// <param name="committed">Called after each group, between its commit and the next one's: it must not wait.</param>
internal sealed class CommitQueue(Committer committer, Action committed) : IThreadPoolWorkItem
{
    private readonly object gate = new();
    private readonly Queue<PendingAppend> waiting = new();
    private bool isRunning;
    private bool isClosed;

    public void Enqueue(PendingAppend append)
    {
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(isClosed, typeof(IEventStore));
            waiting.Enqueue(append);
            if (isRunning)
                return;
            isRunning = true;
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Adds what waits to the group, up to its bound.</summary>
    public void Fill(Group group)
    {
        lock (gate)
        {
            while (!group.IsFull && waiting.TryDequeue(out var append))
                group.Add(append);
        }
    }

    /// <summary>Refuses further appends, and waits until those accepted before have ended.</summary>
    public void Close()
    {
        lock (gate)
        {
            isClosed = true;
            while (isRunning)
                Monitor.Wait(gate);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        var group = new Group();
        Fill(group);
        committer.Commit(group, this);
        TellCallers(group);
    }

    // Order matters: the callers' turns are queued before the next group's, so that those who append again at once are in that group.
    private void TellCallers(Group group)
    {
        var last = group.Appends.Count - 1;
        for (var at = 0; at < last; at++)
            ThreadPool.UnsafeQueueUserWorkItem(group.Appends[at], preferLocal: false);
        committed();
        ContinueOrStop();
        if (last >= 0)
            group.Appends[last].Execute();
    }

    private void ContinueOrStop()
    {
        lock (gate)
        {
            if (waiting.Count == 0)
            {
                isRunning = false;
                Monitor.PulseAll(gate);
                return;
            }
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
