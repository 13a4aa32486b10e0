using System.Diagnostics;

namespace Opossum.FileSystem;

/// <summary>
/// Pauses between retries until a limit is reached. Each pause counts with its real or its requested time, whichever is longer: systems
/// pause for longer than requested, and with a simulated clock no real time passes.
/// </summary>
/// <param name="limit">How long all pauses together may take.</param>
/// <param name="first">The first pause; each further pause is twice as long.</param>
internal struct Patience(Action<TimeSpan> pause, TimeSpan limit, TimeSpan first, TimeSpan longest)
{
    private TimeSpan next = first;
    private TimeSpan spent;

    /// <summary>Pauses; returns false without pausing when the limit is reached.</summary>
    public bool TryPause()
    {
        if (spent >= limit)
            return false;
        var began = Stopwatch.GetTimestamp();
        pause(next);
        var took = Stopwatch.GetElapsedTime(began);
        spent += took > next ? took : next;
        next = next * 2 < longest ? next * 2 : longest;
        return true;
    }
}
