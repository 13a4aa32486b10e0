namespace Opossum;

/// <summary>How projections are kept up to date.</summary>
public sealed class ProjectionOptions
{
    /// <summary>
    /// While events keep coming, states are written at most this often, so that many events to one key are one write. An event after a rest
    /// is written at once, and so is what <see cref="IProjectionStore{TState}.WaitForAsync"/> of the same process waits for. Default: 200 ms. From 0 to 1 minute.
    /// </summary>
    public TimeSpan WriteInterval { get; set; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// How often a process that does not lead a projection tries to, in case the leader is gone, and how often the leader looks for what
    /// other processes have asked. Default: 1 s. From 10 ms to 1 minute.
    /// </summary>
    public TimeSpan TakeOverInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How often files are looked at while something is waited for that another process does. Default: 100 ms. From 1 ms to 1 minute.</summary>
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// How many states of each projection, and as many again while it is being built, the leader keeps in memory. A state that is not among
    /// them is read from its file. Default: 50,000. From 2 to 10,000,000.
    /// </summary>
    public int MaxCachedStates { get; set; } = 50_000;

    /// <summary>How often a failing event is tried again before the projection stops at it. Default: 5. From 0 to 100.</summary>
    public int MaxRetryAttempts { get; set; } = 5;

    /// <summary>The pause before the first retry; each further one is twice as long, up to 30 s. Default: 200 ms. From 0 to 30 s.</summary>
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromMilliseconds(200);

    /// <summary>Hears how far the states have been built, while that is done. Default: null.</summary>
    public IProgress<StoreProgress>? RebuildProgress { get; set; }

    internal ProjectionOptions Copy() => (ProjectionOptions)MemberwiseClone();
}
