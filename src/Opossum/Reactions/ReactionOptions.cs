namespace Opossum;

/// <summary>The options with which reactions are run.</summary>
public sealed class ReactionOptions
{
    /// <summary>
    /// The number of events of one reaction that are handled at the same time, each of another key. Default: 16. From 1 to 1,000.
    /// </summary>
    public int MaxConcurrency { get; set; } = 16;

    /// <summary>
    /// The interval in which it is recorded that events are handled: after a crash the events that were handled since then are handled again. That an
    /// event is about to be handled is recorded before, whatever the interval. Default: 200 ms. From 0 to 1 minute.
    /// </summary>
    public TimeSpan WriteInterval { get; set; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// How often a process that does not lead a reaction tries to take the lead, in case the leader is gone, and how often the leader checks for
    /// requests of other processes. Default: 1 s. From 10 ms to 1 minute.
    /// </summary>
    public TimeSpan TakeOverInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How often the files are checked while a call waits for the work of another process; and the pause after a problem, such as a full disk: each
    /// further pause is twice as long, up to 30 s. A problem more than 30 s after the last pause begins with this one again. Default: 100 ms. From
    /// 1 ms to 1 minute.
    /// </summary>
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The pause before the first retry of an event whose handler has failed; each further pause is twice as long, up to 30 s, each with a random
    /// deviation of a quarter. Default: 200 ms. From 0 to 30 s.
    /// </summary>
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// The number of retries of an event whose handler fails, or ends its process, by all processes together; after the last one the event is parked.
    /// What an orderly stop cancels does not count. Default: 10, which takes about two minutes. From 0 to 1,000,000.
    /// </summary>
    public int MaxRetryAttempts { get; set; } = 10;

    internal ReactionOptions Copy() => (ReactionOptions)MemberwiseClone();

    internal OptionsChecks Check()
    {
        var checks = new OptionsChecks(nameof(ReactionOptions));
        checks.Range<int>(MaxConcurrency, 1, 1_000);
        checks.Range<TimeSpan>(WriteInterval, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        checks.Range<TimeSpan>(TakeOverInterval, TimeSpan.FromMilliseconds(10), TimeSpan.FromMinutes(1));
        checks.Range<TimeSpan>(PollInterval, TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(1));
        checks.Range<TimeSpan>(RetryDelay, TimeSpan.Zero, Backoff.Longest);
        checks.Range<int>(MaxRetryAttempts, 0, 1_000_000);
        return checks;
    }
}
