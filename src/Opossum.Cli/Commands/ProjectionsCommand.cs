using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>The commands about projections.</summary>
internal sealed class ProjectionsCommand : Command
{
    public ProjectionsCommand(Terminal terminal)
        : base("projections", "List projections with their lag, read states, request a rebuild, a retry or a skip")
    {
        Add(new ProjectionsListCommand(terminal));
        Add(new ProjectionsStatesCommand(terminal));
        Add(new ProjectionsRebuildCommand(terminal));
        Add(new ProjectionsRetryCommand(terminal));
        Add(new ProjectionsSkipCommand(terminal));
    }
}
