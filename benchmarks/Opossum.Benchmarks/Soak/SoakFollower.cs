namespace Opossum.Benchmarks.Soak;

/// <summary>A subscriber that lives as long as the soak, and fails when an event is left out or comes twice.</summary>
internal sealed class SoakFollower(FileSystemEventStore store)
{
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(30);

    private long position;

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            await foreach (var e in store.SubscribeAsync(Query.All, cancellationToken: cancellationToken))
            {
                if (e.Position != position + 1)
                    throw new InvalidOperationException($"The subscriber got position {e.Position} after {position}.");
                Volatile.Write(ref position, e.Position);
            }
        }
        catch (OperationCanceledException)
        {
            // The soak is over.
        }
    }

    /// <summary>Waits until it has received all events up to the position.</summary>
    public async Task ReachAsync(long head, CancellationToken cancellationToken)
    {
        for (var waited = TimeSpan.Zero; Volatile.Read(ref position) < head; waited += TimeSpan.FromMilliseconds(10))
        {
            if (waited > patience)
                throw new InvalidOperationException($"The subscriber has stopped at {position}, the head is {head}.");
            await Task.Delay(10, cancellationToken);
        }
    }
}
