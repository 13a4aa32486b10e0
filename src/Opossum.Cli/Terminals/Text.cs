using System.Globalization;
using System.Text;

namespace Opossum.Cli.Terminals;

/// <summary>Text for people.</summary>
internal static class Text
{
    private static readonly string[] byteUnits = ["bytes", "KiB", "MiB", "GiB", "TiB"];

    /// <summary>A number with separators: <c>82,000</c>.</summary>
    public static string Of(long number) => number.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>A count with its noun: <c>1 event</c>, <c>2 events</c>.</summary>
    public static string Count(long number, string noun) => Count(number, noun, $"{noun}s");

    public static string Count(long number, string noun, string plural) => $"{Of(number)} {(number == 1 ? noun : plural)}";

    /// <summary>The positions of events: <c>position 7</c>, <c>positions 7 to 9</c>.</summary>
    public static string Positions(long first, long last) => first == last ? $"position {Of(first)}" : $"positions {Of(first)} to {Of(last)}";

    /// <summary>A time in UTC, to the second.</summary>
    public static string Of(DateTimeOffset time) => time.UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture);

    /// <summary>A number of bytes with a binary unit: <c>1.4 MiB</c>.</summary>
    public static string Bytes(long bytes)
    {
        var unit = 0;
        var size = (double)bytes;
        for (; size >= 1024 && unit < byteUnits.Length - 1; unit++)
            size /= 1024;
        return $"{size.ToString(unit == 0 ? "N0" : "N1", CultureInfo.InvariantCulture)} {byteUnits[unit]}";
    }

    /// <summary>
    /// Text from a store in one line: characters that control a terminal, or that turn the direction of writing, are escaped as in JSON.
    /// </summary>
    public static string Visible(string text)
    {
        var at = 0;
        while (at < text.Length && !IsHidden(text, at))
            at++;
        if (at == text.Length)
            return text;
        var visible = new StringBuilder(text, 0, at, text.Length + 16);
        for (; at < text.Length; at++)
        {
            if (IsHidden(text, at))
                visible.Append(CultureInfo.InvariantCulture, $"\\u{(int)text[at]:x4}");
            else
                visible.Append(text[at]);
        }
        return visible.ToString();
    }

    private static bool IsHidden(string text, int at) => char.GetUnicodeCategory(text[at]) switch
    {
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator => true,
        UnicodeCategory.Surrogate => !IsPaired(text, at),
        _ => false,
    };

    private static bool IsPaired(string text, int at) => char.IsHighSurrogate(text[at])
        ? at + 1 < text.Length && char.IsLowSurrogate(text[at + 1])
        : at > 0 && char.IsHighSurrogate(text[at - 1]);
}
