namespace Opossum;

/// <summary>How often, and after which pauses, a decision is made again when somebody else's event came first.</summary>
/// <remarks>
/// The pause is random, so that those who collided do not collide again. Its bound is <see cref="Delay"/> before the first retry and
/// doubles from retry to retry up to <see cref="MaxDelay"/>.
/// </remarks>
public sealed record DecisionRetry
{
    private static readonly TimeSpan day = TimeSpan.FromDays(1);

    /// <summary>9 retries, with pauses of less than 5 ms at first and less than 1 s at last.</summary>
    public static DecisionRetry Default { get; } = new();

    /// <summary>How often the decision is made again at the most, after the first time. Default: 9. At least 0: no second try.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public int MaxRetryAttempts
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value, nameof(MaxRetryAttempts));
            field = value;
        }
    } = 9;

    /// <summary>The bound of the pause before the first retry. Default: 5 ms. From 0 to 1 day.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative or more than 1 day.</exception>
    public TimeSpan Delay { get; init => field = Check(value, nameof(Delay)); } = TimeSpan.FromMilliseconds(5);

    /// <summary>The highest bound of a pause. Default: 1 s. From 0 to 1 day.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative or more than 1 day.</exception>
    public TimeSpan MaxDelay { get; init => field = Check(value, nameof(MaxDelay)); } = TimeSpan.FromSeconds(1);

    /// <summary>The clock that the pauses go by. Default: the system's.</summary>
    /// <exception cref="ArgumentNullException">It is null.</exception>
    public TimeProvider TimeProvider { get; init => field = value ?? throw new ArgumentNullException(nameof(TimeProvider)); } = TimeProvider.System;

    internal Task PauseAsync(int retries, CancellationToken cancellationToken)
    {
        var bound = Math.Min(Delay.TotalMilliseconds * Math.Pow(2, Math.Min(retries, 60)), MaxDelay.TotalMilliseconds);
        return Task.Delay(TimeSpan.FromMilliseconds(bound * Random.Shared.NextDouble()), TimeProvider, cancellationToken);
    }

    private static TimeSpan Check(TimeSpan pause, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(pause, TimeSpan.Zero, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pause, day, name);
        return pause;
    }
}
