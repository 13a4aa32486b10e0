namespace Opossum;

/// <summary>The pauses between attempts: each is twice as long as the one before.</summary>
internal static class Backoff
{
    /// <summary>The longest pause, where nothing else is said.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(30);

    // No pause is longer than this many doublings make it.
    private const int DoublingsMax = 60;

    /// <summary>The pause after a number of failures, from 1.</summary>
    public static TimeSpan After(int failures, TimeSpan first, TimeSpan longest) =>
        TimeSpan.FromTicks((long)Math.Min(first.Ticks * Math.Pow(2, Math.Min(failures - 1, DoublingsMax)), longest.Ticks));

    /// <summary>The same up to a quarter longer or shorter, so that processes do not all try at the same moment.</summary>
    public static TimeSpan Vary(TimeSpan pause) => pause * (0.75 + (Random.Shared.NextDouble() / 2));
}
