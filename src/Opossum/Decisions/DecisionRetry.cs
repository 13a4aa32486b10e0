namespace Opossum;

/// <summary>How often, and after which pauses, a decision is made again when somebody else's event came first.</summary>
/// <remarks>
/// The pause is random, so that those who collided do not collide again. Its bound is <see cref="PauseFirst"/> before the second try and
/// doubles from try to try up to <see cref="PauseMax"/>.
/// </remarks>
public sealed record DecisionRetry
{
    private static readonly TimeSpan day = TimeSpan.FromDays(1);

    /// <summary>10 tries, with pauses of less than 5 ms at first and less than 1 s at last.</summary>
    public static DecisionRetry Default { get; } = new();

    /// <summary>How often the decision is made at the most, the first time included. Default: 10. At least 1: no second try.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is less than 1.</exception>
    public int TriesMax
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(TriesMax));
            field = value;
        }
    } = 10;

    /// <summary>The bound of the pause before the second try. Default: 5 ms. From 0 to 1 day.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative or more than 1 day.</exception>
    public TimeSpan PauseFirst { get; init => field = Check(value, nameof(PauseFirst)); } = TimeSpan.FromMilliseconds(5);

    /// <summary>The highest bound of a pause. Default: 1 s. From 0 to 1 day.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative or more than 1 day.</exception>
    public TimeSpan PauseMax { get; init => field = Check(value, nameof(PauseMax)); } = TimeSpan.FromSeconds(1);

    /// <summary>The clock that the pauses go by. Default: the system's.</summary>
    /// <exception cref="ArgumentNullException">It is null.</exception>
    public TimeProvider TimeProvider { get; init => field = value ?? throw new ArgumentNullException(nameof(TimeProvider)); } = TimeProvider.System;

    internal Task PauseAsync(int tries, CancellationToken cancellationToken)
    {
        var bound = Math.Min(PauseFirst.TotalMilliseconds * Math.Pow(2, Math.Min(tries - 1, 60)), PauseMax.TotalMilliseconds);
        return Task.Delay(TimeSpan.FromMilliseconds(bound * Random.Shared.NextDouble()), TimeProvider, cancellationToken);
    }

    private static TimeSpan Check(TimeSpan pause, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(pause, TimeSpan.Zero, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pause, day, name);
        return pause;
    }
}
