using System.Globalization;

namespace Opossum.Following;

/// <summary>Names with a number of a term in them, such as live.0000000101.</summary>
internal static class NumberedName
{
    /// <summary>The highest number in a name: no store reaches it in practice, and counting on from it does not overflow.</summary>
    public const long NumberMax = 999_999_999_999_999;

    public static string Of(string begin, long number, string end = "") => $"{begin}.{Digits(number)}{end}";

    public static string Digits(long number) => number.ToString("D10", CultureInfo.InvariantCulture);

    public static bool TryParse(string name, string begin, string end, out long number)
    {
        number = 0;
        return name.Length > begin.Length + 1 + end.Length && name.StartsWith(begin, StringComparison.Ordinal) && name[begin.Length] == '.'
            && name.EndsWith(end, StringComparison.Ordinal)
            && TryParse(name.AsSpan(begin.Length + 1, name.Length - begin.Length - 1 - end.Length), out number);
    }

    public static bool TryParse(ReadOnlySpan<char> digits, out long number) =>
        long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number <= NumberMax;
}
