using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests that a projection skips the event at which it has stopped.</summary>
internal sealed class ProjectionsSkipCommand : FollowerRequestCommand
{
    private readonly Argument<long> position = new("position") { Description = "The position at which it has stopped" };
    private readonly Option<string> reason = new("--reason") { Description = "Why, for the record", HelpName = "text", Required = true };

    public ProjectionsSkipCommand(Terminal terminal)
        : base(FollowerKind.Projection, terminal, "skip", "Request that the event at which a projection has stopped is skipped, for good",
            "opossum projections skip sales customers 42 --reason 'a test order' --yes")
    {
        Add(position);
        Add(reason);
    }

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var at = arguments.GetRequiredValue(position);
        return SendAsync(arguments, $"a skip of event {at}", $"Skip event {at} for good? No state will count it, also after a rebuild.",
            (store, name) => store.Projections[name].SkipAsync(at, arguments.GetRequiredValue(reason), wait: false, cancellationToken),
            cancellationToken);
    }
}
