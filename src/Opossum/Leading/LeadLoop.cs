namespace Opossum.Leading;

/// <summary>Takes a lead whenever it is free, for as long as a worker runs; problems are retried after growing pauses.</summary>
/// <param name="clock">The clock.</param>
/// <param name="takeOverInterval">How often a process that does not lead tries to take the lead.</param>
/// <param name="pollInterval">The pause after the first problem.</param>
internal sealed class LeadLoop(TimeProvider clock, TimeSpan takeOverInterval, TimeSpan pollInterval)
{
    private static readonly TimeSpan troublePauseMax = TimeSpan.FromSeconds(30);

    private readonly Random jitter = new();

    /// <summary>Runs until it is cancelled.</summary>
    /// <param name="tryLead">Leads if nobody else does, until the lead is lost; returns when another process leads.</param>
    /// <param name="whenLost">Called when the lead was lost.</param>
    /// <param name="whenTroubled">Called at every problem.</param>
    /// <param name="whenOut">Called each time this process does not lead any more.</param>
    /// <param name="cancellationToken">Ends the loop.</param>
    public async Task RunAsync(Func<CancellationToken, Task> tryLead, Action<LeadershipLostException> whenLost, Action<Exception> whenTroubled,
        Action whenOut, CancellationToken cancellationToken)
    {
        var troublePause = pollInterval;
        while (!cancellationToken.IsCancellationRequested)
        {
            // Random, so that waiting processes do not all try at the same moment.
            var pause = takeOverInterval * (0.75 + (jitter.NextDouble() / 2));
            try
            {
                await tryLead(cancellationToken).ConfigureAwait(false);
                troublePause = pollInterval;
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                break;
            }
            catch (LeadershipLostException e)
            {
                whenLost(e);
                pause = pollInterval;
            }
            catch (Exception e)
            {
                // A full disk, an unreachable share, an event that cannot be read: the problem may pass, and the files on the disk are valid.
                whenTroubled(e);
                pause = troublePause;
                troublePause = troublePause * 2 < troublePauseMax ? troublePause * 2 : troublePauseMax;
            }
            whenOut();
            // A cancellation ends the loop.
            await Task.Delay(pause, clock, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
