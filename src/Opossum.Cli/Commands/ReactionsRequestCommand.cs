using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Sends a request to the process that runs a reaction.</summary>
internal abstract class ReactionsRequestCommand : ChangeCommand
{
    private readonly Argument<string> name = new("name") { Description = "The reaction's name" };

    protected ReactionsRequestCommand(Terminal terminal, string verb, string description, params IReadOnlyList<string> examples)
        : base(terminal, verb, description, examples)
        => Add(name);

    /// <summary>Refuses a reaction that the store does not have.</summary>
    public static async Task ThrowIfUnknownAsync(FileSystemEventStore store, string reaction, CancellationToken cancellationToken)
    {
        var names = await store.StoredReactions.ListAsync(cancellationToken).ConfigureAwait(false);
        if (!names.Contains(reaction))
        {
            throw new CliException(ExitCode.Usage, $"The store has no reaction {Text.Visible(reaction)}. "
                + $"{(names.Count == 0 ? "It has none." : $"It has: {string.Join(", ", names)}.")} Nothing was changed.");
        }
    }

    /// <summary>Sends a request, or shows what it would ask for.</summary>
    /// <param name="arguments">The command line.</param>
    /// <param name="request">What is requested, such as <c>a retry of event 42</c>.</param>
    /// <param name="question">The question to the user; null when none is needed.</param>
    /// <param name="send">Sends the request.</param>
    /// <param name="cancellationToken">Cancels the work before the request is written.</param>
    protected async Task<ExitCode> SendAsync(ParseResult arguments, string request, string? question, Func<StoredReactions, string, Task> send,
        CancellationToken cancellationToken)
    {
        var reaction = arguments.GetRequiredValue(name);
        await using (var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false))
            await ThrowIfUnknownAsync(store, reaction, cancellationToken).ConfigureAwait(false);
        if (!IsDryRun(arguments))
        {
            if (question is not null)
                Confirm(arguments, question);
            await using var store = await StorePath.OpenForWritingAsync(StoreOf(arguments), Terminal, cancellationToken).ConfigureAwait(false);
            await TrySendAsync(() => send(store.StoredReactions, reaction)).ConfigureAwait(false);
        }
        Write(arguments, new ReactionRequestReport(reaction, request, IsDryRun(arguments)), static json => json.ReactionRequestReport, WriteText);
        return ExitCode.Ok;
    }

    // An event that is not parked, a position that the store does not have, a reason that is too long.
    private static async Task TrySendAsync(Func<Task> send)
    {
        try
        {
            await send().ConfigureAwait(false);
        }
        catch (Exception e) when (e is InvalidOperationException or ArgumentException)
        {
            throw new CliException(ExitCode.Usage, $"{e.Message} Nothing was changed.", e);
        }
    }

    private void WriteText(ReactionRequestReport report) => Terminal.Out.WriteLine(report.IsDryRun
        ? $"Would request {report.Request} by {report.Reaction}."
        : $"Requested {report.Request} by {report.Reaction}. The process that runs the reaction carries it out, now or when it starts; "
            + "opossum reactions list shows whether it has.");
}
