using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests that a reaction handles the events after a position again.</summary>
internal sealed class ReactionsAgainCommand : FollowerRequestCommand
{
    private readonly Option<long> after = new("--after")
    {
        Description = "The position after which events are handled again",
        HelpName = "position",
        Required = true,
    };

    public ReactionsAgainCommand(Terminal terminal)
        : base(FollowerKind.Reaction, terminal, "again",
            "Request that the events after a position are handled again; what they have appended is not appended again",
            "opossum reactions again sales mails --after 41 --yes")
        => Add(after);

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var start = arguments.GetRequiredValue(after);
        return SendAsync(arguments, $"handling the events after {start} again",
            $"Handle all events after position {start} again? Handlers repeat their calls, such as mails, unless the receiver knows their key.",
            (store, name) => store.Reactions[name].HandleAgainAsync(start, wait: false, cancellationToken), cancellationToken);
    }
}
