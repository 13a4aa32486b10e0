namespace Opossum;

/// <summary>How often, and after which pauses, a decision is made again when somebody else's event came first.</summary>
public sealed record DecisionRetry
{
    /// <summary>10 tries, pauses from 5 ms to 1 s.</summary>
    public static DecisionRetry Default { get; } = new();

    /// <summary>How often the decision is made at the most. Default: 10. At least 1.</summary>
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

    /// <summary>The bound of the pause before the second try; it doubles from try to try. The pause itself is random below the bound. Default: 5 ms.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public TimeSpan PauseFirst
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero, nameof(PauseFirst));
            field = value;
        }
    } = TimeSpan.FromMilliseconds(5);

    /// <summary>The highest bound of a pause. Default: 1 s.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public TimeSpan PauseMax
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero, nameof(PauseMax));
            field = value;
        }
    } = TimeSpan.FromSeconds(1);

    /// <summary>The clock that the pauses go by. Default: the system's.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    internal TimeSpan PauseAfter(int tries)
    {
        var bound = Math.Min(PauseFirst.TotalMilliseconds * Math.Pow(2, tries - 1), PauseMax.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(Random.Shared.NextDouble() * bound);
    }
}
