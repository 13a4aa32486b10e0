using System.Diagnostics;

namespace Opossum.Storage.Commit;

/// <summary>
/// Appends that wait for their turn. Whatever has queued while a group was being committed is the next group: no timer, no size to configure.
/// A thread of its own commits, so that it is there whatever the thread pool is kept busy with; callers' threads never do.
/// </summary>
/// <param name="committer">Commits the groups.</param>
/// <param name="committed">Called after each group's commit, before its callers have their answers: it must not wait.</param>
internal sealed class CommitQueue(Committer committer, Action committed) : IThreadPoolWorkItem
{
    // A caller that appends again at once does so within this time, and the thread need not be woken.
    private static readonly TimeSpan spinTime = TimeSpan.FromMicroseconds(50);

    // Callers of a group that append again at once are in the next group together. The pool may be busy, and then they are not waited for.
    private static readonly TimeSpan turnTimeMax = TimeSpan.FromMilliseconds(1);

    // A thread that has nothing to do for so long ends; the next append starts another.
    private static readonly TimeSpan idleTimeMax = TimeSpan.FromSeconds(10);

    private readonly object gate = new();
    private readonly Queue<PendingAppend> waiting = new();
    private Thread? thread;
    private volatile bool isEmpty = true;
    private bool isIdle;
    private bool isTurnOver;
    private bool isClosed;

    /// <summary>Takes an append in; false when the queue is closed.</summary>
    public bool TryEnqueue(PendingAppend append)
    {
        lock (gate)
        {
            if (isClosed)
                return false;
            if (thread is null)
            {
                var started = new Thread(Work) { IsBackground = true, Name = "Opossum commits" };
                started.UnsafeStart();
                thread = started;
            }
            waiting.Enqueue(append);
            isEmpty = false;
            if (isIdle)
                Monitor.PulseAll(gate);
            return true;
        }
    }

    /// <summary>Adds what waits to the group, up to its bound.</summary>
    public void Fill(Group group)
    {
        lock (gate)
        {
            while (!group.IsFull && waiting.TryDequeue(out var append))
                group.Add(append);
            isEmpty = waiting.Count == 0;
        }
    }

    /// <summary>Refuses further appends, and waits until those accepted before have ended.</summary>
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

    /// <summary>The pool has come to what was queued to it after a group's callers.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        lock (gate)
        {
            isTurnOver = true;
            Monitor.PulseAll(gate);
        }
    }

    private void Work()
    {
        while (WaitForAppends())
        {
            var group = new Group();
            Fill(group);
            committer.Commit(group, Fill);
            // Order matters: before the answers. A caller who has one may count on what follows a commit, such as the flush that comes a second later.
            committed();
            foreach (var append in group.Appends)
                append.Tell();
            LetCallersGoOn(group.Appends.Count);
        }
    }

    // False: there will be none, or none came for long.
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
