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

    /// <summary>The texts, the longest first, so that one that has another in it is taken out whole.</summary>
    public IEnumerable<string> LongestFirst => texts.OrderByDescending(static each => each.Length);

    public bool IsEmpty => texts.Count == 0;

    public void Add(ReadOnlySpan<byte> value) => Add(JsonElement.Parse(value));

    public void Add(JsonElement value)
    {
        foreach (var text in JsonMember.TextsIn(value))
        {
            if (text.Trim() is var trimmed && trimmed.Length >= (trimmed.All(char.IsAsciiDigit) ? DigitsMin : LengthMin))
                texts.Add(trimmed);
        }
    }

    /// <summary>Takes the texts out of members of JSON, in place.</summary>
    /// <param name="names">The names of the members, at any depth.</param>
    /// <param name="left">Receives the strings of these members as they are then.</param>
    /// <returns>Whether there was one.</returns>
    public bool BlankIn(JsonNode? node, IReadOnlyList<string> names, List<string> left)
    {
        var isChanged = false;
        foreach (var element in node as JsonArray ?? [])
            isChanged |= BlankIn(element, names, left);
        foreach (var (name, value) in (node as JsonObject)?.ToList() ?? [])
        {
            if (value is not JsonValue)
            {
                isChanged |= BlankIn(value, names, left);
            }
            else if (names.Contains(name) && value.GetValueKind() == JsonValueKind.String)
            {
                var (text, blank) = (value.GetValue<string>(), BlankIn(value.GetValue<string>()));
                left.Add(blank);
                if (blank == text)
                    continue;
                node![name] = blank;
                isChanged = true;
            }
        }
        return isChanged;
    }

    private string BlankIn(string text)
    {
        foreach (var each in LongestFirst)
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

    // The beginning of a text with which another one ends because it was cut there, maybe within a character.
    private string BlankAtCut(string text)
    {
        var end = text.Length - LedFolder.CutMark.Length;
        if (end > 0 && text[end - 1] == '\ufffd')
            end--;
        var start = end;
        foreach (var each in texts)
        {
            for (var at = Math.Max(0, end - each.Length); at < Math.Min(start, end - LengthMin + 1); at++)
            {
                if (IsWhole(text, at, end) && each.AsSpan().StartsWith(text.AsSpan(at, end - at), StringComparison.OrdinalIgnoreCase))
                    start = at;
            }
        }
        return start == end ? text : text[..start] + Blank + LedFolder.CutMark;
    }

    // Not a part of another word or number.
    private static bool IsWhole(string text, int start, int end) =>
        (start == 0 || !char.IsLetterOrDigit(text[start - 1]) || !char.IsLetterOrDigit(text[start]))
        && (end == text.Length || !char.IsLetterOrDigit(text[end]) || !char.IsLetterOrDigit(text[end - 1]));
}
