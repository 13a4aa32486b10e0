using System.Globalization;
using System.Text.Json;

namespace Opossum.Cli.Events;

/// <summary>A condition on a member of an event's data, such as <c>total&gt;=20</c> or <c>customer.name=Ada</c>.</summary>
/// <param name="Path">The names from the data's root to the member; a number selects an element of an array.</param>
internal sealed record DataCondition(IReadOnlyList<string> Path, string Operator, string Value)
{
    // The longer ones first: ">=" begins with ">".
    private static readonly string[] operators = ["!=", "<=", ">=", "=", "<", ">", "~"];

    /// <exception cref="CliException">The text is no condition.</exception>
    public static DataCondition Parse(string text)
    {
        var at = text.AsSpan().IndexOfAny("!<>=~");
        if (at > 0 && Array.Find(operators, each => text.AsSpan(at).StartsWith(each, StringComparison.Ordinal)) is { } found)
            return new DataCondition(text[..at].Split('.'), found, text[(at + found.Length)..]);
        throw new CliException(ExitCode.Usage,
            $"--where {text} is not a condition. Write a member of the data, one of = != < <= > >= ~ (contains), and a value: total>=20, "
                + "customer.name=Ada, items.0.sku~77. Quote it, because shells read < and > themselves.");
    }

    /// <summary>Whether it is true of an event's data. It is not when there is no such member.</summary>
    public bool IsTrueOf(ReadOnlyMemory<byte> json)
    {
        using var document = JsonDocument.Parse(json);
        var member = document.RootElement;
        foreach (var name in Path)
        {
            if (!TryStep(member, name, out member))
                return false;
        }
        return Operator == "~" ? TextOf(member).Contains(Value, StringComparison.Ordinal) : Fits(Compare(member));
    }

    private static bool TryStep(JsonElement parent, string name, out JsonElement member)
    {
        if (parent.ValueKind == JsonValueKind.Object)
            return parent.TryGetProperty(name, out member);
        member = default;
        if (parent.ValueKind != JsonValueKind.Array || !int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out var index)
            || index >= parent.GetArrayLength())
        {
            return false;
        }
        member = parent[index];
        return true;
    }

    // Numbers by their value, everything else by its text.
    private int Compare(JsonElement member)
    {
        if (member.ValueKind != JsonValueKind.Number)
            return string.CompareOrdinal(TextOf(member), Value);
        if (member.TryGetDecimal(out var number) && decimal.TryParse(Value, NumberStyles.Float, CultureInfo.InvariantCulture, out var expected))
            return number.CompareTo(expected);
        return double.TryParse(Value, NumberStyles.Float, CultureInfo.InvariantCulture, out var inexact)
            ? member.GetDouble().CompareTo(inexact)
            : string.CompareOrdinal(TextOf(member), Value);
    }

    private bool Fits(int comparison) => Operator switch
    {
        "=" => comparison == 0,
        "!=" => comparison != 0,
        "<" => comparison < 0,
        "<=" => comparison <= 0,
        ">" => comparison > 0,
        _ => comparison >= 0,
    };

    private static string TextOf(JsonElement member) =>
        member.ValueKind == JsonValueKind.String ? member.GetString()! : member.GetRawText();
}
