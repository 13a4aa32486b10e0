namespace Opossum.Serialization;

/// <summary>What may stand in the place of a member.</summary>
/// <param name="Types">JSON Schema's types, values of an enum in quotes, or <c>any</c>.</param>
/// <param name="IsOptional">Whether JSON without the member can be read.</param>
internal sealed record MemberShape(IReadOnlyList<string> Types, bool IsOptional)
{
    private const string Optional = ", optional";
    private const string Or = " or ";

    /// <summary>Whether everything that could stand here before can be read now.</summary>
    public bool Reads(MemberShape before) => (IsOptional || !before.IsOptional) && before.Types.All(Reads);

    public override string ToString() => string.Join(Or, Types) + (IsOptional ? Optional : "");

    public static MemberShape Parse(string text)
    {
        var isOptional = text.EndsWith(Optional, StringComparison.Ordinal);
        return new MemberShape((isOptional ? text[..^Optional.Length] : text).Split(Or), isOptional);
    }

    private bool Reads(string type) =>
        Types.Contains(type)
        || Types.Contains("any")
        || Types.Any(now => ValueForms.Includes(now, type))
        // Text of a form, such as a date, is text.
        || (type.StartsWith("string ", StringComparison.Ordinal) && Types.Contains("string"))
        || (type.StartsWith('\'') && Types.Contains("string"))
        // So is a value of an enum that is written as a number.
        || (type.Contains('=') && Types.Any(static now => now.StartsWith("integer", StringComparison.Ordinal)));
}
