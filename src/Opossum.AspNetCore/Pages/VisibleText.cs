using System.Globalization;
using System.Text;

namespace Opossum.AspNetCore.Pages;

/// <summary>Makes visible what a text could hide: control characters and marks that turn the direction of writing become escapes.</summary>
internal static class VisibleText
{
    private const int ZeroWidthNonJoiner = 0x200C;
    private const int ZeroWidthJoiner = 0x200D;

    /// <summary>The text with escapes in the form of JSON, such as <c>\u202E</c>.</summary>
    public static string Of(string text, bool keepsLines = false)
    {
        if (!Hides(text, keepsLines))
            return text;
        var shown = new StringBuilder(text.Length + 16);
        foreach (var rune in text.EnumerateRunes())
        {
            if (!IsHidden(rune, keepsLines))
            {
                shown.Append(rune);
                continue;
            }
            foreach (var unit in rune.ToString())
                shown.Append(CultureInfo.InvariantCulture, $"\\u{(int)unit:X4}");
        }
        return shown.ToString();
    }

    /// <summary>The beginning of a text, with an ellipsis where it was cut.</summary>
    public static string Cut(string text, int lengthMax)
    {
        if (text.Length <= lengthMax)
            return text;
        return $"{text[..(char.IsHighSurrogate(text[lengthMax - 1]) ? lengthMax - 1 : lengthMax)]}…";
    }

    private static bool Hides(string text, bool keepsLines)
    {
        foreach (var rune in text.EnumerateRunes())
        {
            if (IsHidden(rune, keepsLines))
                return true;
        }
        return false;
    }

    // Joiners are part of how some languages and emoji are written.
    private static bool IsHidden(Rune rune, bool keepsLines) => Rune.GetUnicodeCategory(rune) switch
    {
        UnicodeCategory.Control => !(keepsLines && rune.Value == '\n'),
        UnicodeCategory.Format => rune.Value is not (ZeroWidthJoiner or ZeroWidthNonJoiner),
        UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator => true,
        _ => false,
    };
}
