using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests that a reaction handles the events from a position on again.</summary>
internal sealed class ReactionsAgainCommand : ReactionsRequestCommand
{
    private readonly Option<long> from = new("--from") { Description = "The first position", HelpName = "position", Required = true };

    public ReactionsAgainCommand(Terminal terminal)
        : base(terminal, "again", "Request that the events from a position on are handled again; what they have appended is not appended again",
            "opossum reactions again sales mails --from 42 --yes")
        => Add(from);

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var first = arguments.GetRequiredValue(from);
        return SendAsync(arguments, $"handling the events from {first} on again",
            $"Handle all events from position {first} on again? Handlers repeat their calls, such as mails, unless the receiver knows their key.",
            (reactions, name) => reactions.RequestHandleAgainAsync(name, first, cancellationToken), cancellationToken);
    }
}
