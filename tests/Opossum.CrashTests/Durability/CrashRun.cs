using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>Something that a power cut may interrupt, on a disk of its own.</summary>
/// <param name="Disk">The disk.</param>
/// <param name="Play">What is interrupted.</param>
/// <param name="CheckAfter">Throws when what the power cut leaves breaks a promise.</param>
internal sealed record CrashRun(SimulatedDisk Disk, Action Play, Action<PowerCut> CheckAfter)
{
    /// <summary>A run whose check knows whether the run came to its end: then nothing of it may be lost any more.</summary>
    public static CrashRun Of(SimulatedDisk disk, Action play, Action<SimulatedDisk, PowerCut, bool> check)
    {
        var isDone = false;
        return new CrashRun(disk, Play, cut => check(disk.AfterPowerCut(cut), cut, isDone));

        void Play()
        {
            play();
            isDone = true;
        }
    }

    /// <summary>Cuts the power there, and checks what that may leave. Returns how many states of the disk these were.</summary>
    public int CutAt(Cut cut)
    {
        cut.Prepare(Disk);
        Attempt.UntilTheEnd(Play);
        // Other threads on shares, and ids that are drawn, may make a run shorter than the one that was counted: then the power is cut at its end.
        var states = 0;
        foreach (var powerCut in Cases.PowerCutsAt(cut.Operation))
        {
            try
            {
                CheckAfter(powerCut);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"{powerCut}: {e.Message}", e);
            }
            states++;
        }
        return states;
    }
}
