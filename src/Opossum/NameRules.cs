using System.Globalization;

namespace Opossum;

/// <summary>The rules for type names and tags, in one place, with their messages.</summary>
internal static class NameRules
{
    public const int EventTypeLengthMax = 1_000;

    public static void CheckEventType(string? type, string parameter)
    {
        ArgumentNullException.ThrowIfNull(type, parameter);
        if (type.Length == 0)
            throw new ArgumentException("The event type is empty; give it a stable name such as \"student-enrolled\".", parameter);
        CheckLength(type, EventTypeLengthMax, "The event type", parameter);
        CheckUnicode(type, "The event type", parameter);
    }

    public static void CheckTagKey(string? key, string parameter)
    {
        ArgumentNullException.ThrowIfNull(key, parameter);
        if (key.Length == 0)
            throw new ArgumentException("The tag's key is empty; a tag has a key and a value, such as course:c1.", parameter);
        if (key.Contains(':', StringComparison.Ordinal))
            throw new ArgumentException($"The tag key {Quote(key)} holds a ':', which ends a key where a tag is written key:value. Only a tag's value may hold one.", parameter);
        CheckLength(key, Tag.KeyLengthMax, "The tag's key", parameter);
        CheckUnicode(key, "The tag's key", parameter);
    }

    public static void CheckTagValue(string? value, string parameter)
    {
        ArgumentNullException.ThrowIfNull(value, parameter);
        CheckLength(value, Tag.ValueLengthMax, "The tag's value", parameter);
        CheckUnicode(value, "The tag's value", parameter);
    }

    public static void CheckUnicode(string text, string what, string parameter)
    {
        for (var at = 0; at < text.Length; at++)
        {
            if (!char.IsSurrogate(text[at]))
                continue;
            if (at + 1 == text.Length || !char.IsSurrogatePair(text[at], text[at + 1]))
                throw new ArgumentException(string.Create(CultureInfo.InvariantCulture, $"{what} is not valid Unicode: the surrogate U+{(int)text[at]:X4} at index {at} stands alone."), parameter);
            at++;
        }
    }

    /// <summary>The text in quotes, cut to a length that fits a message.</summary>
    public static string Quote(string text) => text.Length <= 80 ? $"\"{text}\"" : $"\"{text[..80]}\"...";

    private static void CheckLength(string text, int lengthMax, string what, string parameter)
    {
        if (text.Length > lengthMax)
            throw new ArgumentException(string.Create(CultureInfo.InvariantCulture, $"{what} has {text.Length:N0} characters; at most {lengthMax:N0} are allowed. It begins with {Quote(text)}."), parameter);
    }
}
