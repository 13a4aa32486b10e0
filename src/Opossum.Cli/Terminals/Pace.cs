using System.Globalization;

namespace Opossum.Cli.Terminals;

/// <summary>How fast work goes, and how long the rest takes at that rate.</summary>
internal static class Pace
{
    /// <summary>Rate and time left: <c>14,313/s, 0:05 left</c>; empty when nothing can be said yet.</summary>
    public static string InWords(double done, double total, TimeSpan elapsed)
    {
        var rate = done / elapsed.TotalSeconds;
        if (!double.IsFinite(rate) || rate <= 0)
            return "";
        var words = $"{Text.Of((long)rate)}/s";
        if (done >= total)
            return words;
        var left = TimeSpan.FromSeconds(Math.Min((total - done) / rate, TimeSpan.FromDays(99).TotalSeconds));
        return left < TimeSpan.FromHours(1)
            ? string.Create(CultureInfo.InvariantCulture, $"{words}, {left.Minutes}:{left.Seconds:D2} left")
            : string.Create(CultureInfo.InvariantCulture, $"{words}, {(int)left.TotalHours}:{left.Minutes:D2}:{left.Seconds:D2} left");
    }
}
