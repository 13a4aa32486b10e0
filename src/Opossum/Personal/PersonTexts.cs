using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using Opossum.Following;

namespace Opossum.Personal;

/// <summary>The texts of a person's personal data, and how they are taken out of other texts.</summary>
internal sealed class PersonTexts
{
    /// <summary>What takes their place.</summary>
    public const string Blank = "(forgotten)";

    // What is shorter stands in too many texts that are not about the person.
    private const int LengthMin = 3;
    private const int DigitsMin = 4;

    private readonly HashSet<string> texts = new(StringComparer.Ordinal);
    private string[]? forms;

    public IReadOnlyCollection<string> All => texts;

    public bool IsEmpty => texts.Count == 0;

    public void Add(ReadOnlySpan<byte> value) => Add(JsonElement.Parse(value));

    public void Add(JsonElement value)
    {
        foreach (var text in JsonMember.TextsIn(value))
        {
            if (text.Trim() is var trimmed && trimmed.Length >= (trimmed.All(char.IsAsciiDigit) ? DigitsMin : LengthMin) && texts.Add(trimmed))
                forms = null;
        }
    }

    /// <summary>Takes the texts out of members of JSON, in place.</summary>
    /// <param name="names">The names of the members, at any depth.</param>
    /// <returns>Whether there was one.</returns>
    public bool BlankIn(JsonNode? node, IReadOnlyList<string> names)
    {
        var isChanged = false;
        foreach (var element in node as JsonArray ?? [])
            isChanged |= BlankIn(element, names);
        foreach (var (name, value) in (node as JsonObject)?.ToList() ?? [])
        {
            if (value is not JsonValue)
            {
                isChanged |= BlankIn(value, names);
            }
            else if (names.Contains(name) && value.GetValueKind() == JsonValueKind.String
                && value.GetValue<string>() is var text && BlankIn(text) is var blank && blank != text)
            {
                node![name] = blank;
                isChanged = true;
            }
        }
        return isChanged;
    }

    /// <summary>Takes them out of a text, in whichever case and form they stand there, but not out of other words and numbers.</summary>
    public string BlankIn(string text)
    {
        foreach (var each in Forms)
        {
            for (var at = text.IndexOf(each, StringComparison.OrdinalIgnoreCase); at >= 0;)
            {
                var end = at + each.Length;
                if (IsWhole(text, at, end))
                {
                    text = text[..at] + Blank + text[end..];
                    end = at + Blank.Length;
                }
                at = end < text.Length ? text.IndexOf(each, end, StringComparison.OrdinalIgnoreCase) : -1;
            }
        }
        return text.EndsWith(LedFolder.CutMark, StringComparison.Ordinal) ? BlankAtCut(text) : text;
    }

    // The longest first, so that one that has another in it is taken out whole.
    private string[] Forms => forms ??= [.. texts.SelectMany(TextForms.TextsOf).Distinct().OrderByDescending(static each => each.Length)];

    // The beginning of a text with which another one ends because it was cut there, maybe within a character.
    private string BlankAtCut(string text)
    {
        var end = text.Length - LedFolder.CutMark.Length;
        if (end > 0 && text[end - 1] == '\ufffd')
            end--;
        var start = end;
        foreach (var each in Forms)
        {
            for (var at = Math.Max(0, end - each.Length); at < Math.Min(start, end - LengthMin + 1); at++)
            {
                if (IsWhole(text, at, end) && each.AsSpan().StartsWith(text.AsSpan(at, end - at), StringComparison.OrdinalIgnoreCase))
                    start = at;
            }
        }
        return start == end ? text : text[..start] + Blank + LedFolder.CutMark;
    }

    /// <summary>
    /// Whether a part of a text is not in another word or number. What is escaped before it, as in JSON or in a URL, is no letter, except one as
    /// <c>\u00e4</c>.
    /// </summary>
    public static bool IsWhole(string text, int start, int end) =>
        (start == 0 || !char.IsLetterOrDigit(text[start]) || !EndsWithLetter(text.AsSpan(0, start)))
        && (end == text.Length || !char.IsLetterOrDigit(text[end]) || !char.IsLetterOrDigit(text[end - 1]));

    private static bool EndsWithLetter(ReadOnlySpan<char> text) => text switch
    {
        [.., '\\', 'u', _, _, _, _] when ushort.TryParse(text[^4..], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var escaped) =>
            char.IsLetterOrDigit((char)escaped),
        [.., '\\', _] => false,
        [.., '%', _, _] when char.IsAsciiHexDigit(text[^2]) && char.IsAsciiHexDigit(text[^1]) => false,
        _ => char.IsLetterOrDigit(text[^1]),
    };
}
