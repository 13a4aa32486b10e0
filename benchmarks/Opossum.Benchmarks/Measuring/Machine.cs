using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Opossum.Benchmarks.Measuring;

/// <summary>What the figures depend on: processor, memory, system, runtime, disk.</summary>
internal static class Machine
{
    /// <summary>Pairs of a name and what is known of it.</summary>
    public static IReadOnlyList<(string Name, string Value)> Describe() =>
    [
        ("Processor", $"{Processor}, {Environment.ProcessorCount} cores"),
        ("Memory", $"{GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / (double)(1 << 30):F0} GiB"),
        ("System", $"{SystemName}, version {Environment.OSVersion.Version}, {RuntimeInformation.OSArchitecture}"),
        (".NET", RuntimeInformation.FrameworkDescription),
        .. OperatingSystem.IsWindows() ? Array.Empty<(string, string)>() : [("A system call", $"{SystemCall().TotalNanoseconds:F0} ns")],
    ];

    /// <summary>The file system of a folder, its mount options, and the known facts about the device.</summary>
    public static string DescribeDisk(WorkFolder folder)
    {
        var text = folder.Volume.Name;
        if (Mount.Of(folder.Path) is { } mount)
            text += $" ({mount.Options})";
        if (folder.Device is { } device)
            text += $" on {device.Name}{(device.HasFua ? ", with FUA" : ", without FUA")}";
        return text;
    }

    // A virtual machine may make the shortest one ten times as long. Each event that is read alone takes one.
    private static TimeSpan SystemCall()
    {
        const int Calls = 100_000;
        var fastest = TimeSpan.MaxValue;
        for (var round = 0; round < 5; round++)
        {
            var begun = Stopwatch.GetTimestamp();
            for (var call = 0; call < Calls; call++)
                _ = GetParentId();
            var taken = Stopwatch.GetElapsedTime(begun) / Calls;
            fastest = taken < fastest ? taken : fastest;
        }
        return fastest;
    }

    [DllImport("libc", EntryPoint = "getppid")]
    private static extern int GetParentId();

    private static string Processor => FieldOf("/proc/cpuinfo", "model name", ':') ?? RuntimeInformation.ProcessArchitecture.ToString();

    private static string SystemName => FieldOf("/etc/os-release", "PRETTY_NAME", '=')?.Trim('"') ?? RuntimeInformation.OSDescription;

    private static string? FieldOf(string file, string name, char separator)
    {
        if (!File.Exists(file))
            return null;
        var line = File.ReadLines(file).FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal));
        return line?[(line.IndexOf(separator, StringComparison.Ordinal) + 1)..].Trim();
    }
}
