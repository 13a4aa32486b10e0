namespace Opossum.FileSystem;

/// <summary>
/// Runs background work that waits for the disk on a thread of its own. The thread pool begins with as many threads as the machine has
/// processors and adds others slowly: on a small machine, work that holds one of them for 50 ms holds up the app for as long.
/// </summary>
internal static class BackgroundThread
{
    /// <summary>Starts work that catches its own exceptions. Where the system starts no further thread, the pool runs it.</summary>
    public static void Start(Action work, string name)
    {
        try
        {
            new Thread(() => work()) { IsBackground = true, Name = name }.UnsafeStart();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static work => work(), work, preferLocal: false);
        }
    }

    /// <summary>
    /// A timer, not set, that starts such work. With another clock than the system's, the thread that moves the clock does the work, so that a
    /// test finds it done.
    /// </summary>
    public static ITimer CreateTimer(TimeProvider clock, Action work, string name) => clock.CreateTimer(
        clock == TimeProvider.System ? _ => Start(work, name) : _ => work(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
}
