using System.Runtime.ExceptionServices;

namespace Opossum.FileSystem;

/// <summary>
/// Works on several files in parallel on its own threads. A flush blocks, the thread pool has few more threads than processors and adds
/// threads slowly, and the host needs them. Idle threads are kept for a while: starting one costs more than a flush that a fast disk
/// shares among several files.
/// </summary>
internal static class FewThreads
{
    /// <summary>Enough for a disk or a server to combine several flushes.</summary>
    public const int ThreadsMax = 16;

    private const int StackBytes = 256 * 1024;

    private static readonly TimeSpan idleTimeMax = TimeSpan.FromSeconds(10);
    private static readonly object gate = new();
    private static readonly Queue<Job> wanted = new();
    private static int idle;

    /// <summary>
    /// Does the work for each index. After a failure it starts no further work, waits for what has started, and throws the first failure.
    /// </summary>
    public static void ForEach(int count, Action<int> work)
    {
        if (count == 1)
        {
            work(0);
            return;
        }
        var job = new Job(count, work);
        if (count > 1)
            CallHelpers(job, Math.Min(count, ThreadsMax) - 1);
        job.Work();
        job.WaitForHelpers();
    }

    private static void CallHelpers(Job job, int helpers)
    {
        int missing;
        lock (gate)
        {
            for (var at = 0; at < helpers; at++)
            {
                wanted.Enqueue(job);
                Monitor.Pulse(gate);
            }
            missing = Math.Clamp(wanted.Count - idle, 0, helpers);
        }
        while (missing > 0 && TryStartHelper())
            missing--;
        if (missing > 0)
            TakeBack(missing);
    }

    // Nobody would come for them, and they keep what their callers use. Which ones is the same: each caller works on its own job too.
    private static void TakeBack(int calls)
    {
        lock (gate)
        {
            for (; calls > 0 && wanted.Count > 0; calls--)
                wanted.Dequeue();
        }
    }

    // False: the system starts no further thread, as in a container with a limit. The caller does all the work by itself then.
    private static bool TryStartHelper()
    {
        try
        {
            new Thread(Help, StackBytes) { IsBackground = true, Name = "Opossum files" }.UnsafeStart();
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    private static void Help()
    {
        while (Next() is { } job)
            job.Help();
    }

    // Null: no job came within the idle time.
    private static Job? Next()
    {
        lock (gate)
        {
            idle++;
            try
            {
                while (wanted.Count == 0)
                {
                    if (!Monitor.Wait(gate, idleTimeMax) && wanted.Count == 0)
                        return null;
                }
                return wanted.Dequeue();
            }
            finally
            {
                idle--;
            }
        }
    }

    private sealed class Job(int count, Action<int> work)
    {
        private readonly object gate = new();
        private ExceptionDispatchInfo? failure;
        private int next = -1;
        private int helpers;
        private bool hasEnded;

        public void Work()
        {
            while (Volatile.Read(ref failure) is null)
            {
                var index = Interlocked.Increment(ref next);
                if (index >= count)
                    return;
                try
                {
                    work(index);
                }
                catch (Exception exception)
                {
                    Interlocked.CompareExchange(ref failure, ExceptionDispatchInfo.Capture(exception), null);
                }
            }
        }

        /// <summary>Takes part in the job, unless it has ended already.</summary>
        public void Help()
        {
            lock (gate)
            {
                if (hasEnded)
                    return;
                helpers++;
            }
            Work();
            lock (gate)
            {
                if (--helpers == 0)
                    Monitor.PulseAll(gate);
            }
        }

        public void WaitForHelpers()
        {
            lock (gate)
            {
                hasEnded = true;
                while (helpers > 0)
                    Monitor.Wait(gate);
            }
            failure?.Throw();
        }
    }
}
