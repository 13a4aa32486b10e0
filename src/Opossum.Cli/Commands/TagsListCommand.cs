using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Lists the tag rules of a store.</summary>
internal sealed class TagsListCommand(Terminal terminal) : StoreCommand(terminal, "list", "List the rules that give events tags by their data",
    "opossum tags list sales",
    "opossum tags list sales --json")
{
    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var rules = await store.GetTagRulesAsync(cancellationToken).ConfigureAwait(false);
        Write(arguments, new TagRulesReport([.. rules.Select(static rule => TagRuleReport.Of(rule))]), WriteText);
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        if (status.TagRulesProblem is { } problem)
            Terminal.Error.WriteLine(Text.Visible(problem));
        return ExitCode.Ok;
    }

    private void WriteText(TagRulesReport report)
    {
        if (report.Rules.Count == 0)
        {
            Terminal.Out.WriteLine("No tag rules: events have the tags with which they were appended.");
            return;
        }
        var rows = new Columns(Terminal, new Column(Style: Style.Bold), Column.Words, Column.Words);
        rows.Add("type", "member", "key");
        foreach (var rule in report.Rules)
            rows.Add(rule.Type, rule.Member, rule.Key);
        rows.Write();
    }
}
