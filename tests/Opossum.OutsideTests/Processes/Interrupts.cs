using System.Globalization;

namespace Opossum.ProcessTests;

/// <summary>Tests that send SIGINT to a process that they started.</summary>
internal static class Interrupts
{
    private const int Interrupt = 2;

    /// <summary>A shell starts a program in the background with SIGINT ignored, and what it starts inherits that: signal(7).</summary>
    public static void SkipUnlessTheyArrive()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no signals.");
        if (!OperatingSystem.IsLinux())
            return;
        const string label = "SigIgn:";
        var ignored = File.ReadLines("/proc/self/status").First(static line => line.StartsWith(label, StringComparison.Ordinal));
        var mask = ulong.Parse(ignored.AsSpan(label.Length).Trim(), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        Assert.SkipUnless((mask & (1UL << (Interrupt - 1))) == 0, "The tests run in the background of a shell, where SIGINT is ignored.");
    }
}
