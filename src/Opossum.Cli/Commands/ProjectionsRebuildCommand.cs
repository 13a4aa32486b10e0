using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests a rebuild of a projection's states.</summary>
internal sealed class ProjectionsRebuildCommand(Terminal terminal)
    : FollowerRequestCommand(FollowerKind.Projection, terminal, "rebuild", "Request a rebuild of the states; the old ones are read until it ends",
        "opossum projections rebuild sales customers")
{
    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken) => SendAsync(arguments,
        "a rebuild", question: null, (store, name) => store.Projections[name].RebuildAsync(wait: false, cancellationToken), cancellationToken);
}
