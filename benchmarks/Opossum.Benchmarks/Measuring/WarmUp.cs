namespace Opossum.Benchmarks.Measuring;

/// <summary>How long code runs before it is measured: code that has run for a moment is compiled once more.</summary>
internal static class WarmUp
{
    /// <summary>The time; none in a short run, whose figures mean little.</summary>
    public static TimeSpan Of(bool isShort) => isShort ? TimeSpan.Zero : TimeSpan.FromSeconds(2);
}
