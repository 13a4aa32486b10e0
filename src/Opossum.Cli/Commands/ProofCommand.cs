using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The commands that keep the proof of a store's history.</summary>
internal sealed class ProofCommand : Command
{
    public ProofCommand(Terminal terminal)
        : base("proof", "Keep the proof of a store's history: build its tree, make a key, write checkpoints")
    {
        Add(new ProofBuildCommand(terminal));
        Add(new ProofKeyCommand(terminal));
        Add(new ProofCheckpointCommand(terminal));
    }
}
