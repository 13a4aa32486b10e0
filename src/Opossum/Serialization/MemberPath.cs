using System.Buffers;
using System.Globalization;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>
/// The path of members in JSON: names with dots between them, <c>[]</c> for each element of an array, <c>{}</c> for each member of an object, and
/// <c>["..."]</c>, with a JSON string, for a name that has a dot, a bracket or a brace. The path of one place has the numbers of elements,
/// <c>[0]</c>, and is written, but not parsed.
/// </summary>
internal sealed class MemberPath
{
    private static readonly SearchValues<char> special = SearchValues.Create(".[]{}");

    private readonly string text;

    private MemberPath(string text, List<MemberStep> steps)
    {
        this.text = text;
        Steps = steps;
    }

    /// <summary>The steps: at least one.</summary>
    public IReadOnlyList<MemberStep> Steps { get; }

    /// <exception cref="ArgumentException">It is not a path.</exception>
    public static MemberPath Parse(string text, string parameter)
    {
        ArgumentNullException.ThrowIfNull(text, parameter);
        if (text.Length == 0)
            throw NoPath(text, parameter);
        NameRules.CheckUnicode(text, "The path of a member", parameter);
        var steps = new List<MemberStep>();
        for (var at = 0; at < text.Length;)
            steps.Add(Take(text, ref at) ?? throw NoPath(text, parameter));
        return new MemberPath(text, steps);
    }

    public static string Member(string path, string name)
    {
        if (name.Length == 0 || name.AsSpan().ContainsAny(special))
            return $"{path}[\"{JsonEncodedText.Encode(name, ReadableJsonEncoder.Instance)}\"]";
        return path.Length == 0 ? name : $"{path}.{name}";
    }

    public static string Element(string path, int index) => string.Create(CultureInfo.InvariantCulture, $"{path}[{index}]");

    public override string ToString() => text;

    // Null: no step begins here.
    private static MemberStep? Take(string text, ref int at)
    {
        var rest = text.AsSpan(at);
        if (rest.StartsWith("[]") || rest.StartsWith("{}"))
        {
            at += 2;
            return rest[0] == '[' ? MemberStep.EachElement : MemberStep.EachMember;
        }
        return (rest[0] == '[' ? TakeQuoted(text, ref at) : TakeName(text, ref at)) is { } name ? MemberStep.Member(name) : null;
    }

    // A dot stands before each name but the first.
    private static string? TakeName(string text, ref int at)
    {
        if (at > 0 && text[at++] != '.')
            return null;
        var length = text.AsSpan(at).IndexOfAny(special) is >= 0 and var found ? found : text.Length - at;
        var name = text.Substring(at, length);
        at += length;
        return name.Length == 0 ? null : name;
    }

    private static string? TakeQuoted(string text, ref int at)
    {
        var inner = at + 1;
        // A name may have a bracket itself: the first one that ends a JSON string ends the name.
        for (var end = text.IndexOf(']', inner); end > inner; end = text.IndexOf(']', end + 1))
        {
            try
            {
                var name = JsonElement.Parse(text.AsSpan(inner, end - inner)).GetString();
                at = end + 1;
                return name;
            }
            catch (Exception e) when (e is JsonException or InvalidOperationException)
            {
                // The name continues.
            }
        }
        return null;
    }

    private static ArgumentException NoPath(string text, string parameter) => new(
        $"{NameRules.Quote(text)} is not the path of members. Write names with dots between them, [] for each element of an array, {{}} for each "
            + "member of an object, and [\"...\"] for a name with a dot, a bracket or a brace: email, address.street, contacts[].phone, notes{}, "
            + "[\"a.b\"].", parameter);
}
