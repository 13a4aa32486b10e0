using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Sends a request to the process that runs a projection.</summary>
internal abstract class ProjectionsRequestCommand : ChangeCommand
{
    private readonly Argument<string> name = new("name") { Description = "The projection's name" };

    protected ProjectionsRequestCommand(Terminal terminal, string verb, string description, params IReadOnlyList<string> examples)
        : base(terminal, verb, description, examples)
        => Add(name);

    /// <summary>Sends a request, or shows what it would ask for.</summary>
    /// <param name="arguments">The command line.</param>
    /// <param name="request">What is requested, such as <c>a rebuild of the states</c>.</param>
    /// <param name="question">The question to the user; null when none is needed.</param>
    /// <param name="send">Sends the request.</param>
    /// <param name="cancellationToken">Cancels the work before the request is written.</param>
    protected async Task<ExitCode> SendAsync(ParseResult arguments, string request, string? question,
        Func<StoredProjections, string, Task> send, CancellationToken cancellationToken)
    {
        var projection = arguments.GetRequiredValue(name);
        await ThrowIfUnknownAsync(arguments, projection, cancellationToken).ConfigureAwait(false);
        if (!IsDryRun(arguments))
        {
            if (question is not null)
                Confirm(arguments, question);
            await using var store = await StorePath.OpenForWritingAsync(StoreOf(arguments), Terminal, cancellationToken).ConfigureAwait(false);
            await send(store.StoredProjections, projection).ConfigureAwait(false);
        }
        Write(arguments, new RequestReport(projection, request, IsDryRun(arguments)), static json => json.RequestReport, WriteText);
        return ExitCode.Ok;
    }

    // A damaged projection can be asked for a rebuild: only its name is looked up.
    private async Task ThrowIfUnknownAsync(ParseResult arguments, string projection, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var names = await store.StoredProjections.ListAsync(cancellationToken).ConfigureAwait(false);
        if (!names.Contains(projection))
        {
            throw new CliException(ExitCode.Usage, $"The store has no projection {Text.Visible(projection)}. "
                + $"{(names.Count == 0 ? "It has none." : $"It has: {string.Join(", ", names)}.")} Nothing was changed.");
        }
    }

    private void WriteText(RequestReport report) => Terminal.Out.WriteLine(report.IsDryRun
        ? $"Would request {report.Request} of {report.Projection}."
        : $"Requested {report.Request} of {report.Projection}. The process that runs the projection carries it out, now or when it starts; "
            + "opossum projections list shows whether it has.");
}
