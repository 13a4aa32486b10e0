using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests that a reaction skips a parked event.</summary>
internal sealed class ReactionsSkipCommand : FollowerRequestCommand
{
    private readonly Argument<long> position = new("position") { Description = "The parked event's position" };
    private readonly Option<string> reason = new("--reason") { Description = "Why, for the record", HelpName = "text", Required = true };

    public ReactionsSkipCommand(Terminal terminal)
        : base(FollowerKind.Reaction, terminal, "skip", "Request that a parked event is skipped, for good",
            "opossum reactions skip sales mails 42 --reason 'a test order' --yes")
    {
        Add(position);
        Add(reason);
    }

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var at = arguments.GetRequiredValue(position);
        return SendAsync(arguments, $"a skip of event {at}", $"Skip event {at} for good? It is not handled.",
            (store, name) => store.Reactions[name].SkipAsync(at, arguments.GetRequiredValue(reason), wait: false, cancellationToken),
            cancellationToken);
    }
}
