using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks.Contenders;

/// <summary>The memory of a process that has appended, its contender still open; as the text that it prints.</summary>
/// <param name="ResidentMax">The most bytes that were resident.</param>
/// <param name="Held">The bytes of the objects in use.</param>
/// <param name="Allocated">The bytes of all objects made.</param>
internal sealed record AppendMemory(long ResidentMax, long Held, long Allocated)
{
    public static AppendMemory OfThisProcess()
    {
        using var process = Process.GetCurrentProcess();
        var (resident, allocated) = (process.PeakWorkingSet64, GC.GetTotalAllocatedBytes());
        return new AppendMemory(resident, HeapMemory.Measure(), allocated);
    }

    public static AppendMemory Parse(string text)
    {
        var numbers = Array.ConvertAll(text.Trim().Split(' '), static each => long.Parse(each, CultureInfo.InvariantCulture));
        return new AppendMemory(numbers[0], numbers[1], numbers[2]);
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{ResidentMax} {Held} {Allocated}");
}
