using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests a rebuild of a projection's states.</summary>
internal sealed class ProjectionsRebuildCommand(Terminal terminal)
    : ProjectionsRequestCommand(terminal, "rebuild", "Request a rebuild of the states; the old ones are read until it ends",
        "opossum projections rebuild sales customers")
{
    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken) => SendAsync(arguments,
        "a rebuild", question: null, (projections, name) => projections.RequestRebuildAsync(name, cancellationToken), cancellationToken);
}
