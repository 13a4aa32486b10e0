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
        Add(new FollowerSkipCommand(FollowerKind.Projection, terminal,
            "Request that the event at which a projection has stopped is skipped, for good", "The position at which it has stopped",
            "opossum projections skip sales customers 42 --reason 'a test order' --yes"));
    }
}
