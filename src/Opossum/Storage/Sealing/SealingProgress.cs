namespace Opossum.Storage.Sealing;

/// <summary>How far a run that seals or unseals folders is. Folders are read and removed at the same time, so two threads report.</summary>
/// <param name="report">Receives how many events were processed, and of how many.</param>
/// <param name="cancellationToken">Ends the run between two steps.</param>
internal sealed class SealingProgress(int folders, int positions, Action<long, long> report, CancellationToken cancellationToken)
{
    private readonly Lock gate = new();
    private long written;
    private long removed;

    /// <summary>A number of events of a folder are in their new place.</summary>
    public void Written(int folder, int events) => Report(ref written, folder, events);

    /// <summary>A number of events of a folder were removed from their former place.</summary>
    public void Removed(int folder, int events) => Report(ref removed, folder, events);

    public void Done(int folder, int events)
    {
        Written(folder, events);
        Removed(folder, events);
    }

    private void Report(ref long half, int folder, int events)
    {
        cancellationToken.ThrowIfCancellationRequested();
        lock (gate)
        {
            half = (long)folder * positions + events;
            report((written + removed) / 2, (long)folders * positions);
        }
    }
}
