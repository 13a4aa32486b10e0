using System.Text.Json.Serialization;

namespace Opossum.Cli.Commands;

/// <summary>A tag rule, in a list of rules or as it was added or removed.</summary>
/// <param name="Type">The events' type.</param>
/// <param name="Member">The path of the member.</param>
/// <param name="Key">The key of the tags.</param>
internal sealed record TagRuleReport(string Type, string Member, string Key)
{
    /// <summary>Whether the command changed the rules; null: it changes none.</summary>
    public bool? Changed { get; init; }

    /// <summary>Whether <see cref="Changed"/> says what the command would change; null: it is no dry run.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public bool? IsDryRun { get; init; }

    public static TagRuleReport Of(TagRule rule, bool? changed = null) => new(rule.EventType, rule.Member, rule.Key) { Changed = changed };
}
