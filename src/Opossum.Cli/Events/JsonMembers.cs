using System.Text.Json;
using System.Text.RegularExpressions;

namespace Opossum.Cli.Events;

/// <summary>Whether the path of a member, as a redaction takes it, leads to something in the stored JSON of an event.</summary>
internal static partial class JsonMembers
{
    // An encrypted value is a whole.
    private const string SealedName = "$sealed";

    private static readonly JsonDocumentOptions options = new() { MaxDepth = 1_000 };

    /// <param name="json">The event's data, as its file has it.</param>
    /// <param name="path">A valid path. One with a quoted name counts as found: only the redaction itself looks for it.</param>
    public static bool Has(ReadOnlyMemory<byte> json, string path)
    {
        if (path.Contains('"', StringComparison.Ordinal))
            return true;
        using var parsed = JsonDocument.Parse(json, options);
        return Leads(parsed.RootElement, [.. Steps.Matches(path).Select(static each => each.Value)]);
    }

    [GeneratedRegex(@"\[\]|\{\}|[^.\[\]{}]+")]
    private static partial Regex Steps { get; }

    private static bool Leads(JsonElement at, ReadOnlySpan<string> steps)
    {
        if (steps.IsEmpty)
            return true;
        if (at.ValueKind == JsonValueKind.Array && steps[0] == "[]")
        {
            foreach (var element in at.EnumerateArray())
            {
                if (Leads(element, steps[1..]))
                    return true;
            }
        }
        if (at.ValueKind == JsonValueKind.Object && steps[0] != "[]")
        {
            foreach (var member in at.EnumerateObject())
            {
                if (!member.NameEquals(SealedName) && (steps[0] == "{}" || member.NameEquals(steps[0])) && Leads(member.Value, steps[1..]))
                    return true;
            }
        }
        return false;
    }
}
