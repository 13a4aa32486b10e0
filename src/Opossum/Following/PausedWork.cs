namespace Opossum.Following;

/// <summary>What of a term's work cannot be done for now: it is tried again after pauses that grow, and the rest continues.</summary>
internal sealed class PausedWork(FollowerHost host)
{
    private readonly Trouble trouble = new(host);
    private TimeSpan pause;
    private long lastTry;
    private int failures;

    /// <summary>Why it is not done for now; null: it is.</summary>
    public FollowerProblem? Problem => trouble.Problem;

    /// <summary>The time until it is tried again; zero: it can be done.</summary>
    public TimeSpan TimeLeft => host.Clock.GetElapsedTime(lastTry) is var since && since < pause ? pause - since : TimeSpan.Zero;

    /// <summary>Does it, unless a pause is left. An event that cannot be read holds it up, unless another process may read that.</summary>
    /// <returns>Whether it is done.</returns>
    public async ValueTask<bool> TryAsync(Func<ValueTask> work, Action<Exception> log)
    {
        if (TimeLeft > TimeSpan.Zero)
            return false;
        try
        {
            await work().ConfigureAwait(false);
            Succeed();
            return true;
        }
        catch (EventStoreException e) when (!FollowerHost.IsOfThisProcess(e))
        {
            if (Fail(e))
                log(e);
            return false;
        }
    }

    /// <inheritdoc cref="Trouble.Note"/>
    public bool Fail(Exception failure, string? error = null)
    {
        pause = Backoff.Vary(Backoff.After(++failures, host.PollInterval, Backoff.Longest));
        lastTry = host.Clock.GetTimestamp();
        return trouble.Note(failure, error);
    }

    public void Succeed()
    {
        (pause, failures) = (TimeSpan.Zero, 0);
        trouble.End();
    }
}
