using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The commands about reactions.</summary>
internal sealed class ReactionsCommand : Command
{
    public ReactionsCommand(Terminal terminal)
        : base("reactions", "List reactions with their lag and parked events, request a retry, a skip or handling again")
    {
        Add(new ReactionsListCommand(terminal));
        Add(new ReactionsParkedCommand(terminal));
        Add(new ReactionsRetryCommand(terminal));
        Add(new FollowerSkipCommand(FollowerKind.Reaction, terminal, "Request that a parked event is skipped, for good",
            "The parked event's position", "opossum reactions skip sales mails 42 --reason 'a test order' --yes"));
        Add(new ReactionsAgainCommand(terminal));
    }
}
