using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests another attempt at a parked event.</summary>
internal sealed class ReactionsRetryCommand : FollowerRequestCommand
{
    private readonly Argument<long> position = new("position") { Description = "The parked event's position" };

    public ReactionsRetryCommand(Terminal terminal)
        : base(FollowerKind.Reaction, terminal, "retry", "Request another attempt at a parked event", "opossum reactions retry sales mails 42")
        => Add(position);

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var at = arguments.GetRequiredValue(position);
        return SendAsync(arguments, $"a retry of event {at}", question: null,
            (store, name) => store.Reactions[name].RetryAsync(at, wait: false, cancellationToken), cancellationToken);
    }
}
