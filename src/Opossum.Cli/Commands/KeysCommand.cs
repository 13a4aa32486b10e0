using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The commands for the keys of a store's personal data.</summary>
internal sealed class KeysCommand : Command
{
    public KeysCommand(Terminal terminal)
        : base("keys", "Replace the keys of personal data that are lost for good")
        => Add(new KeysReplaceCommand(terminal));
}
