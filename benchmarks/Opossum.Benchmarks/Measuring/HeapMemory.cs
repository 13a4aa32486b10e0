namespace Opossum.Benchmarks.Measuring;

/// <summary>The bytes of the objects that are in use.</summary>
internal static class HeapMemory
{
    /// <summary>Collects what is not in use any more, also what is given back only after its finalizers have run, and returns the rest.</summary>
    public static long Measure()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
