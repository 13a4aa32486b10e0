using System.Diagnostics;

namespace Opossum.Storage.Commit;

/// <summary>
/// The queue of waiting appends. Appends that queue while a group is committed form the next group: no timer, no size to configure.
/// A dedicated thread commits, so commits do not depend on a busy thread pool; callers' threads never commit.
/// </summary>
/// <param name="committed">Called after each group's commit, before its callers get their results. It must not block.</param>
internal sealed class CommitQueue(Committer committer, Action<Group> committed) : IThreadPoolWorkItem
{
    // A caller that appends again at once does so within this time, which saves waking the thread.
    private static readonly TimeSpan spinTime = TimeSpan.FromMicroseconds(50);

    // Gives the callers of a group time to append again, so that they share the next group. A busy pool ends the wait.
    private static readonly TimeSpan turnTimeMax = TimeSpan.FromMilliseconds(1);

    // The thread ends after being idle for this long; the next append starts another.
    private static readonly TimeSpan idleTimeMax = TimeSpan.FromSeconds(10);

    private readonly object gate = new();
    private readonly Queue<PendingAppend> waiting = new();
    private Thread? thread;
    private volatile bool isEmpty = true;
    private bool isIdle;
    private bool isTurnOver;
    private bool isClosed;

    /// <summary>Queues an append; false when the queue is closed.</summary>
    public bool TryEnqueue(PendingAppend append)
    {
        append.QueuedAt = committer.Clock.GetTimestamp();
        lock (gate)
        {
            if (isClosed)
                return false;
            thread ??= StartThread();
            waiting.Enqueue(append);
            isEmpty = false;
            if (isIdle)
                Monitor.PulseAll(gate);
            return true;
        }
    }

    /// <summary>Moves waiting appends to the group until it is full.</summary>
    public void Fill(Group group)
    {
        lock (gate)
        {
            while (waiting.TryPeek(out var append) && group.HasRoomFor(append))
                group.Add(waiting.Dequeue());
            isEmpty = waiting.Count == 0;
        }
    }

    /// <summary>Refuses further appends and waits until the accepted ones are finished.</summary>
    public void Close()
    {
        Thread? working;
        lock (gate)
        {
            isClosed = true;
            working = thread;
            Monitor.PulseAll(gate);
        }
        working?.Join();
    }

    /// <summary>Runs when the pool reaches the work item that was queued after a group's callers.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        lock (gate)
        {
            isTurnOver = true;
            Monitor.PulseAll(gate);
        }
    }

    /// <exception cref="StoreIOException">The system gives this process no further thread.</exception>
    private Thread StartThread()
    {
        var started = new Thread(Work) { IsBackground = true, Name = "Opossum commits" };
        try
        {
            started.UnsafeStart();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            throw new StoreIOException(null, $"Nothing was appended: no thread could be started. {e.Message} Raise the limit of threads or of memory "
                + "of this process, or try again.", e);
        }
        return started;
    }

    private void Work()
    {
        var group = new Group();
        var fill = Fill;
        while (WaitForAppends())
        {
            Fill(group);
            committer.Commit(group, fill);
            // Before the results: a caller that has its result may rely on what follows a commit, such as the flush.
            committed(group);
            group.Report();
            committer.Writeback.SlowDownAfter(group.Events.Count);
            var callers = group.Appends.Count;
            group.Clear();
            LetCallersGoOn(callers);
        }
    }

    // False: the queue is closed, or no append came within the idle time.
    private bool WaitForAppends()
    {
        Spin();
        lock (gate)
        {
            isIdle = true;
            while (waiting.Count == 0 && !isClosed && Monitor.Wait(gate, idleTimeMax))
            {
                // Something was pulsed.
            }
            isIdle = false;
            if (waiting.Count > 0)
                return true;
            thread = null;
            return false;
        }
    }

    private void Spin()
    {
        var started = Stopwatch.GetTimestamp();
        var spin = default(SpinWait);
        while (isEmpty && Stopwatch.GetElapsedTime(started) < spinTime)
            spin.SpinOnce(sleep1Threshold: -1);
    }

    private void LetCallersGoOn(int callers)
    {
        if (callers < 2)
            return;
        lock (gate)
        {
            if (waiting.Count >= callers)
                return;
            isTurnOver = false;
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            while (!isTurnOver && Monitor.Wait(gate, turnTimeMax))
            {
                // Something was pulsed.
            }
        }
    }
}
