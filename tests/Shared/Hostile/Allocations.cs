namespace Opossum.Tests.Hostile;

/// <summary>Counts what the calling thread allocates.</summary>
internal static class Allocations
{
    public static long Of(Action work)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        work();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    /// <summary>Fails when the work allocates more than a number of times the input, and a room for what everybody needs.</summary>
    public static void AssertBounded(long inputBytes, double times, Action work)
    {
        const long room = 256 * 1024;
        var allocated = Of(work);
        Assert.True(allocated <= room + times * inputBytes, $"{allocated:N0} bytes were allocated for {inputBytes:N0} bytes of input.");
    }
}
