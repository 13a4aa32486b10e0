using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Removes a tag rule.</summary>
internal sealed class TagsRemoveCommand : ChangeCommand
{
    private readonly TagRuleArguments rule = new();

    public TagsRemoveCommand(Terminal terminal)
        : base(terminal, "remove", "Remove a rule, and with it the tags that it gave",
            "opossum tags remove sales order-placed customer.id customer --yes")
        => Add([.. rule.All]);

    public override string WhenCancelled => "Cancelled. The rule was not removed.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var removed = rule.Of(arguments);
        var path = await StoreToChangeAsync(arguments, cancellationToken).ConfigureAwait(false);
        if (IsDryRun(arguments))
            return await ShowAsync(arguments, removed, cancellationToken).ConfigureAwait(false);
        Confirm(arguments, $"Remove the rule {Text.Visible(removed.ToString())} of {path}? "
            + "Queries and conditions by its tags then find nothing.");
        await using var store = await OpenForWritingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var changed = await WithProgressAsync(
            progress => store.RemoveTagRuleAsync(removed, progress, cancellationToken)).ConfigureAwait(false);
        return WriteDone(arguments, TagRuleReport.Of(removed, changed), _ => Terminal.Out.WriteLine(changed
            ? "The rule and its tags are gone, in every process."
            : "The store does not have this rule."));
    }

    private async Task<ExitCode> ShowAsync(ParseResult arguments, TagRule removed, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var isThere = (await store.GetTagRulesAsync(cancellationToken).ConfigureAwait(false)).Contains(removed);
        return Write(arguments, TagRuleReport.Of(removed, isThere) with { IsDryRun = true },
            _ => Terminal.Out.WriteLine(isThere ? "Would remove the rule and its tags." : "The store does not have this rule."));
    }
}
