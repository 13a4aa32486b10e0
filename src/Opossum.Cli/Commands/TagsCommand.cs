using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The commands for rules that make tags of stored events' data.</summary>
internal sealed class TagsCommand : Command
{
    public TagsCommand(Terminal terminal)
        : base("tags", "Make a member of events a tag, also of those that are stored already, and undo it")
    {
        Add(new TagsListCommand(terminal));
        Add(new TagsAddCommand(terminal));
        Add(new TagsRemoveCommand(terminal));
    }
}
