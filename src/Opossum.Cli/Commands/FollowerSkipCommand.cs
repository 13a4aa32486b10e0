using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests that a projection skips the event at which it has stopped, or a reaction one that it has parked.</summary>
internal sealed class FollowerSkipCommand : FollowerRequestCommand
{
    private readonly FollowerKind kind;
    private readonly Argument<long> position;
    private readonly Option<string> reason = new("--reason") { Description = "Why, for the record", HelpName = "text", Required = true };

    public FollowerSkipCommand(FollowerKind kind, Terminal terminal, string description, string positionDescription, string example)
        : base(kind, terminal, "skip", description, example)
    {
        this.kind = kind;
        position = new Argument<long>("position") { Description = positionDescription };
        Add(position, reason);
    }

    protected override Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var (at, why) = (arguments.GetRequiredValue(position), arguments.GetRequiredValue(reason));
        return SendAsync(arguments, $"a skip of event {at}", $"Skip event {at} for good? {kind.EffectOfSkip}",
            (store, name) => kind.SkipAsync(store, name, at, why, cancellationToken), cancellationToken);
    }
}
