using System.Globalization;

namespace Opossum.Cli.Events;

/// <summary>Reads a time that a user typed.</summary>
internal static class Moment
{
    private static readonly string[] forms =
        ["yyyy-MM-dd", "yyyy-MM-ddTHH:mmK", "yyyy-MM-ddTHH:mm:ssK", "yyyy-MM-ddTHH:mm:ss.FFFFFFFK", "yyyy-MM-dd HH:mmK", "yyyy-MM-dd HH:mm:ssK"];

    /// <summary>A date or time, in UTC unless it names an offset; or a time ago, such as <c>90s</c>, <c>15m</c>, <c>2h</c>, <c>3d</c>.</summary>
    /// <param name="option">The option that it belongs to, for the message.</param>
    /// <param name="clock">The clock from which a time ago counts.</param>
    /// <exception cref="CliException">The text is neither.</exception>
    public static DateTimeOffset Parse(string text, string option, TimeProvider clock)
    {
        if (DateTimeOffset.TryParseExact(text, forms, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time))
            return time;
        if (text.Length > 1 && UnitOf(text[^1]) is { } unit && int.TryParse(text.AsSpan(0, text.Length - 1), NumberStyles.None,
            CultureInfo.InvariantCulture, out var number) && number <= 100_000)
        {
            return clock.GetUtcNow() - (unit * number);
        }
        throw new CliException(ExitCode.Usage,
            $"{option} {text} is not a time. Write a date (2026-11-20), a time in UTC (2026-11-20T09:30) or with an offset "
                + "(2026-11-20T09:30+01:00), or a time ago (90s, 15m, 2h, 3d).");
    }

    private static TimeSpan? UnitOf(char letter) => letter switch
    {
        's' => TimeSpan.FromSeconds(1),
        'm' => TimeSpan.FromMinutes(1),
        'h' => TimeSpan.FromHours(1),
        'd' => TimeSpan.FromDays(1),
        _ => null,
    };
}
