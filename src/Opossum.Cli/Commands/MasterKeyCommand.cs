using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The commands for master keys.</summary>
internal sealed class MasterKeyCommand : Command
{
    public MasterKeyCommand(Terminal terminal)
        : base("master-key", "Make the master key of personal data, or replace it")
    {
        Add(new MasterKeyNewCommand(terminal));
        Add(new MasterKeyReplaceCommand(terminal));
    }
}
