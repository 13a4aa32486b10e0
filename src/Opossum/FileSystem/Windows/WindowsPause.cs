using System.Diagnostics;
using System.Runtime.Versioning;

namespace Opossum.FileSystem.Windows;

/// <summary>Pauses on Windows, where by default the clock that wakes sleeping threads ticks every 15.6 ms.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe class WindowsPause
{
    /// <summary>The shortest time that a high-resolution timer can wait.</summary>
    private static readonly TimeSpan shortestTimer = TimeSpan.FromMilliseconds(0.5);

    /// <summary>Waits for at least that long.</summary>
    public static void For(TimeSpan time)
    {
        var start = Stopwatch.GetTimestamp();
        for (var rest = time; rest > TimeSpan.Zero; rest = time - Stopwatch.GetElapsedTime(start))
        {
            if (rest < shortestTimer)
                Thread.Yield();
            else if (!TryWait(rest))
                Thread.Sleep(rest);
        }
    }

    // Windows has these timers since Windows 10 version 1803.
    private static bool TryWait(TimeSpan time)
    {
        using var timer = Kernel32.CreateTimer(0, 0, Kernel32.HighResolutionTimer, Kernel32.AllOfTimer);
        var due = -time.Ticks;
        return !timer.IsInvalid && Kernel32.SetTimer(timer, &due, 0, 0, 0, 0) && Kernel32.Wait(timer, Kernel32.NoTimeout) == 0;
    }
}
