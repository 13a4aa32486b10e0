using System.Diagnostics;

namespace Opossum.FileSystem;

/// <summary>
/// Pauses between tries until a limit is reached. Each pause counts for as long as it took or was to take, whichever is longer: systems
/// pause for longer than they are asked to, and a simulated clock passes no real time.
/// </summary>
/// <param name="pause">Pauses.</param>
/// <param name="limit">How long all pauses together may take.</param>
/// <param name="first">The first pause; each further one is twice as long.</param>
/// <param name="longest">No pause is longer.</param>
internal struct Patience(Action<TimeSpan> pause, TimeSpan limit, TimeSpan first, TimeSpan longest)
{
    private TimeSpan next = first;
    private TimeSpan spent;

    /// <summary>Pauses; false without a pause when the limit is reached.</summary>
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
