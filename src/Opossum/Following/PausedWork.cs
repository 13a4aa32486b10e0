namespace Opossum.Following;

/// <summary>What of a term's work cannot be done for now: it is tried again after pauses that grow, and the rest continues.</summary>
internal sealed class PausedWork(FollowerHost host)
{
    private TimeSpan pause;
    private long lastTry;
    private int failures;

    /// <summary>Why it is not done for now; null: it is.</summary>
    public FollowerProblem? Problem { get; private set; }

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
            if (Fail(e.Message))
                log(e);
            return false;
        }
    }

    /// <summary>Notes that it has failed.</summary>
    /// <returns>Whether it had succeeded before.</returns>
    public bool Fail(string error)
    {
        pause = Backoff.Vary(Backoff.After(++failures, host.PollInterval, Backoff.Longest));
        lastTry = host.Clock.GetTimestamp();
        Problem = new FollowerProblem
        {
            Error = error,
            Since = Problem?.Since ?? host.Clock.GetUtcNow(),
        };
        return failures == 1;
    }

    public void Succeed() => (Problem, pause, failures) = (null, TimeSpan.Zero, 0);
}
