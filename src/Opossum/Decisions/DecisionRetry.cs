namespace Opossum;

/// <summary>The number of retries of a decision after a conflict, and the pauses before them.</summary>
/// <remarks>
/// The pause is random, so that callers that conflicted do not conflict again. Its upper bound is <see cref="Delay"/> before the first retry and
/// doubles with each retry up to <see cref="MaxDelay"/>.
/// </remarks>
public sealed record DecisionRetry
{
    private static readonly TimeSpan day = TimeSpan.FromDays(1);

    /// <summary>The default: 9 retries, with pauses of less than 5 ms before the first and less than 1 s at most.</summary>
    internal static DecisionRetry Default { get; } = new();

    /// <summary>The maximum number of retries after the first attempt. Default: 9. 0: no retry.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public int MaxRetryAttempts
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value, nameof(MaxRetryAttempts));
            field = value;
        }
    } = 9;

    /// <summary>The upper bound of the pause before the first retry. Default: 5 ms. From 0 to 1 day.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative or more than 1 day.</exception>
    public TimeSpan Delay { get; init => field = Check(value, nameof(Delay)); } = TimeSpan.FromMilliseconds(5);

    /// <summary>The upper bound of every pause. Default: 1 s. From 0 to 1 day.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative or more than 1 day.</exception>
    public TimeSpan MaxDelay { get; init => field = Check(value, nameof(MaxDelay)); } = TimeSpan.FromSeconds(1);

    /// <summary>The clock for the pauses. Default: the system clock.</summary>
    /// <exception cref="ArgumentNullException">The value is null.</exception>
    public TimeProvider TimeProvider { get; init => field = value ?? throw new ArgumentNullException(nameof(TimeProvider)); } = TimeProvider.System;

    internal Task PauseAsync(int retries, CancellationToken cancellationToken)
    {
        var bound = Backoff.After(retries + 1, Delay, MaxDelay);
        return Task.Delay(bound * Random.Shared.NextDouble(), TimeProvider, cancellationToken);
    }

    private static TimeSpan Check(TimeSpan pause, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(pause, TimeSpan.Zero, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pause, day, name);
        return pause;
    }
}
