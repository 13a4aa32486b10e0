using System.CommandLine;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Adds a tag rule.</summary>
internal sealed class TagsAddCommand : StoreCommand
{
    private readonly TagRuleArguments rule = new();

    public TagsAddCommand(Terminal terminal)
        : base(terminal, "add", "Make a member of a type's events a tag, also of stored events, while others append",
            "opossum tags add sales order-placed customer.id customer",
            "opossum tags add sales order-placed 'lines[].sku' sku")
        => Add([.. rule.All]);

    public override string WhenCancelled => "Cancelled. The rule was not added.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var added = rule.Of(arguments);
        await using var store = await OpenForWritingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var changed = await WithProgressAsync(progress => store.AddTagRuleAsync(added, progress, cancellationToken)).ConfigureAwait(false);
        var (type, member, key) = (Text.Visible(added.EventType), Text.Visible(added.Member), Text.Visible(added.Key));
        var code = WriteDone(arguments, TagRuleReport.Of(added, changed), _ => Terminal.Out.WriteLine(changed
            ? $"Events of the type {type} have the tag {key} by their {member}, in every process."
            : "The store has this rule already."));
        // The rule is added, whatever is cancelled now. It gives the key values, so one without a value is not meant.
        if (changed)
            await UnknownNames.WriteAsync(store, [added.EventType], [$"{added.Key}:"], Terminal, CancellationToken.None).ConfigureAwait(false);
        return code;
    }
}
