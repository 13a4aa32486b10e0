using System.Runtime.ExceptionServices;

namespace Opossum.FileSystem;

/// <summary>
/// Waits for several files at the same time. On threads of its own: flushing blocks, the thread pool has few threads more than
/// processors and adds to them slowly, and the host wants those for itself.
/// </summary>
internal static class FewThreads
{
    /// <summary>Enough for a disk or a server to take several flushes as one.</summary>
    public const int ThreadsMax = 16;

    private const int StackBytes = 256 * 1024;

    /// <summary>Does the work for each index; after a failure begins no more, and throws the first when what had begun has ended.</summary>
    public static void ForEach(int count, Action<int> work)
    {
        if (count == 1)
        {
            work(0);
            return;
        }
        var next = -1;
        ExceptionDispatchInfo? failure = null;
        var helpers = new Thread[Math.Max(0, Math.Min(count, ThreadsMax) - 1)];
        for (var at = 0; at < helpers.Length; at++)
        {
            helpers[at] = new Thread(Work, StackBytes) { IsBackground = true, Name = "Opossum files" };
            helpers[at].UnsafeStart();
        }
        Work();
        foreach (var helper in helpers)
            helper.Join();
        failure?.Throw();

        void Work()
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
    }
}
