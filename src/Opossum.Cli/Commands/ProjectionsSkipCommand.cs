using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Requests that a projection skips the event at which it has stopped.</summary>
internal sealed class ProjectionsSkipCommand : ProjectionsRequestCommand
{
    private readonly Argument<long> position = new("position") { Description = "The position at which it has stopped" };
    private readonly Option<string> reason = new("--reason") { Description = "Why, for the record", HelpName = "text", Required = true };

    public ProjectionsSkipCommand(Terminal terminal)
        : base(terminal, "skip", "Request that the event at which a projection has stopped is skipped, for good",
            "opossum projections skip sales customers 42 --reason 'a test order' --yes")
    {
        Add(position);
        Add(reason);
    }

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var skipped = arguments.GetRequiredValue(position);
        try
        {
            return await SendAsync(arguments, $"a skip of event {skipped}",
                $"Skip event {skipped} for good? No state will count it, also after a rebuild.",
                (projections, name) => projections.RequestSkipAsync(name, skipped, arguments.GetRequiredValue(reason), cancellationToken),
                cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException e)
        {
            throw new CliException(ExitCode.Usage, $"{e.Message} Nothing was changed.", e);
        }
    }
}
