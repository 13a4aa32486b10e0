using System.Diagnostics;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Soak;

/// <summary>One round of a soak, and the resources of the idle process after it.</summary>
/// <param name="Time">The duration of the round.</param>
/// <param name="Head">The number of events in the store after it, from both processes.</param>
/// <param name="Events">The number of events added in the round.</param>
/// <param name="Appends">The times of this process's appends, in microseconds.</param>
/// <param name="ManagedBytes">Managed memory, after a collection.</param>
/// <param name="ResidentBytes">The process's memory as the system counts it.</param>
/// <param name="Handles">Open handles; on Linux file descriptors.</param>
/// <param name="Threads">All threads, also those of the pool.</param>
internal sealed record SoakRow(TimeSpan Time, long Head, long Events, Distribution Appends, long ManagedBytes, long ResidentBytes, int Handles,
    int Threads)
{
    public static SoakRow Measure(TimeSpan time, long head, long events, Distribution appends)
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        var managed = GC.GetTotalMemory(forceFullCollection: true);
        using var process = Process.GetCurrentProcess();
        return new SoakRow(time, head, events, appends, managed, process.WorkingSet64, process.HandleCount, process.Threads.Count);
    }
}
