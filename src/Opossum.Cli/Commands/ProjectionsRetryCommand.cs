using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests another attempt at the event at which a projection has stopped.</summary>
internal sealed class ProjectionsRetryCommand(Terminal terminal)
    : FollowerRequestCommand(FollowerKind.Projection, terminal, "retry", "Request another attempt at the event at which a projection has stopped",
        "opossum projections retry sales customers")
{
    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken) => SendAsync(arguments,
        "a retry", question: null, (store, name) => store.Projections[name].RetryAsync(wait: false, cancellationToken), cancellationToken);
}
