namespace Opossum;

/// <summary>The options with which projections are kept up to date.</summary>
public sealed class ProjectionOptions
{
    /// <summary>
    /// The minimum interval between writes of states while events keep arriving, so that many events of one key need one write. After a quiet period
    /// an event is written at once, as are events that <see cref="IProjectionStore{TState}.WaitForAsync"/> of the same process waits for. Default:
    /// 200 ms. From 0 to 1 minute.
    /// </summary>
    public TimeSpan WriteInterval { get; set; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// How often a process that does not lead a projection tries to take the lead, in case the leader is gone, and how often the leader checks for
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
    /// The number of states of each projection that the leader keeps in memory, and as many again while the projection is being built. Other states
    /// are read from their files. Default: 50,000. From 2 to 10,000,000.
    /// </summary>
    public int MaxCachedStates { get; set; } = 50_000;

    /// <summary>The number of retries of a failing event before the projection stops at it. Default: 5. From 0 to 100.</summary>
    public int MaxRetryAttempts { get; set; } = 5;

    /// <summary>The pause before the first retry; each further pause is twice as long, up to 30 s. Default: 200 ms. From 0 to 30 s.</summary>
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromMilliseconds(200);

    /// <summary>Receives the progress while states are built. Default: null.</summary>
    public IProgress<StoreProgress>? RebuildProgress { get; set; }

    internal ProjectionOptions Copy() => (ProjectionOptions)MemberwiseClone();

    internal OptionsChecks Check()
    {
        var checks = new OptionsChecks(nameof(ProjectionOptions));
        checks.Range<TimeSpan>(WriteInterval, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        checks.Range<TimeSpan>(TakeOverInterval, TimeSpan.FromMilliseconds(10), TimeSpan.FromMinutes(1));
        checks.Range<TimeSpan>(PollInterval, TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(1));
        checks.Range<int>(MaxCachedStates, 2, 10_000_000);
        checks.Range<int>(MaxRetryAttempts, 0, 100);
        checks.Range<TimeSpan>(RetryDelay, TimeSpan.Zero, Backoff.Longest);
        return checks;
    }
}
