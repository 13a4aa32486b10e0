namespace Opossum.Storage.Folders;

/// <summary>
/// Whether reads of a store wait for a disk or a server. Then prefetching what will be read next pays; where the system has the bytes in memory, it
/// costs a system call for nothing.
/// </summary>
internal sealed class SlowReads(TimeProvider clock)
{
    // A read of some kilobytes takes a few microseconds from the system's memory, and more than this from the fastest disks.
    private static readonly TimeSpan inMemoryMax = TimeSpan.FromMicroseconds(30);

    private volatile bool areLikely;

    /// <summary>Whether the next read is likely to be slow, because the last one was, of whatever thread.</summary>
    public bool AreLikely => areLikely;

    public long Begin() => clock.GetTimestamp();

    /// <summary>Notes how long a read took; true when it was slow.</summary>
    /// <param name="begun">The time at which it began.</param>
    public bool End(long begun)
    {
        var wasSlow = clock.GetElapsedTime(begun) > inMemoryMax;
        // What is equal is not written: threads would take the value from each other.
        if (wasSlow != areLikely)
            areLikely = wasSlow;
        return wasSlow;
    }
}
