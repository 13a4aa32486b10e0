using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>
/// The path of members in JSON: names with dots between them, <c>[]</c> for each element of an array, and <c>["..."]</c>, with a JSON string,
/// for a name that has a dot or a bracket.
/// </summary>
internal sealed class ErasurePath
{
    private readonly string text;

    private ErasurePath(string text, List<string?> steps)
    {
        this.text = text;
        Steps = steps;
    }

    /// <summary>The names of members; null: each element of an array.</summary>
    public IReadOnlyList<string?> Steps { get; }

    /// <exception cref="ArgumentException">It is not a path.</exception>
    public static ErasurePath Parse(string text, string parameter)
    {
        ArgumentException.ThrowIfNullOrEmpty(text, parameter);
        NameRules.CheckUnicode(text, "The path of a member", parameter);
        var steps = new List<string?>();
        for (var at = 0; at < text.Length;)
        {
            if (text[at] == '[')
                steps.Add(TakeBracket(text, ref at) is { IsTaken: true, Name: var quoted } ? quoted : throw NoPath(text, parameter));
            else if (TakeName(text, ref at) is { Length: > 0 } name)
                steps.Add(name);
            else
                throw NoPath(text, parameter);
        }
        return new ErasurePath(text, steps);
    }

    public override string ToString() => text;

    // A dot stands before each name but the first.
    private static string? TakeName(string text, ref int at)
    {
        if (at > 0 && text[at++] != '.')
            return null;
        var end = text.AsSpan(at).IndexOfAny('.', '[') is >= 0 and var length ? at + length : text.Length;
        var name = text[at..end];
        at = end;
        return name;
    }

    private static (bool IsTaken, string? Name) TakeBracket(string text, ref int at)
    {
        var inner = at + 1;
        var end = text.IndexOf(']', inner);
        while (end > inner)
        {
            // A name may have a bracket itself: the first one that ends a JSON string ends the name.
            try
            {
                var name = JsonElement.Parse(text.AsSpan(inner, end - inner)).GetString();
                at = end + 1;
                return (name is not null, name);
            }
            catch (Exception e) when (e is JsonException or InvalidOperationException)
            {
                end = text.IndexOf(']', end + 1);
            }
        }
        at = inner + 1;
        return (end == inner, null);
    }

    private static ArgumentException NoPath(string text, string parameter) => new(
        $"{NameRules.Quote(text)} is not the path of members. Write names with dots between them, [] for each element of an array, and [\"...\"] "
            + "for a name with a dot or a bracket: email, address.street, contacts[].phone, [\"a.b\"].", parameter);
}
