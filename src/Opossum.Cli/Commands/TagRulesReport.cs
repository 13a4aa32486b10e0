namespace Opossum.Cli.Commands;

/// <summary>The tag rules of a store.</summary>
/// <param name="Rules">The rules, in the order of type, member and key.</param>
internal sealed record TagRulesReport(IReadOnlyList<TagRuleReport> Rules);
