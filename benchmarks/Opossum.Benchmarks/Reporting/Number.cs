using System.Globalization;

namespace Opossum.Benchmarks.Reporting;

/// <summary>Formats numbers for tables: three significant digits and a suitable unit.</summary>
internal static class Number
{
    /// <summary>A time, in µs, ms or s.</summary>
    public static string Time(double microseconds) => Math.Abs(microseconds) switch
    {
        < 1_000 => Plain(microseconds) + " µs",
        < 1_000_000 => Plain(microseconds / 1_000) + " ms",
        _ => Plain(microseconds / 1_000_000) + " s",
    };

    /// <summary>Events a second, from the time of one.</summary>
    public static string Rate(double microsecondsPerEvent) => Whole(1_000_000 / microsecondsPerEvent);

    public static string Plain(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 10 => value.ToString("0.00", CultureInfo.InvariantCulture),
        < 100 => value.ToString("0.0", CultureInfo.InvariantCulture),
        _ => Whole(value),
    };

    /// <summary>A count an event, which may be a small share of one.</summary>
    public static string Share(double value) => value.ToString("0.####", CultureInfo.InvariantCulture);

    public static string Whole(double value) => value.ToString("N0", CultureInfo.InvariantCulture);
}
