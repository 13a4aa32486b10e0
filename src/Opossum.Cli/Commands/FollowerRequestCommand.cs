using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Sends a request to the process that runs a projection or a reaction.</summary>
internal abstract class FollowerRequestCommand : ChangeCommand
{
    private readonly FollowerKind kind;
    private readonly Argument<string> name;

    protected FollowerRequestCommand(FollowerKind kind, Terminal terminal, string verb, string description, params IReadOnlyList<string> examples)
        : base(terminal, verb, description, examples)
    {
        this.kind = kind;
        name = new Argument<string>("name") { Description = $"The {kind.Name}'s name" };
        Add(name);
    }

    /// <summary>Sends a request, or shows what it would ask for.</summary>
    /// <param name="request">What is requested, such as <c>a rebuild</c>.</param>
    /// <param name="question">The question to the user; null when none is needed.</param>
    /// <param name="cancellationToken">Cancels the work before the request is written.</param>
    protected async Task<ExitCode> SendAsync(ParseResult arguments, string request, string? question, Func<FileSystemEventStore, string, Task> send,
        CancellationToken cancellationToken)
    {
        var named = arguments.GetRequiredValue(name);
        await using (var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false))
        {
            await StorePath.ThrowIfReplicaAsync(StoreOf(arguments), orFormer: true, cancellationToken).ConfigureAwait(false);
            await kind.ThrowIfUnknownAsync(store, named, cancellationToken).ConfigureAwait(false);
            await TrySendAsync(() => JudgeAsync(() => send(store, named))).ConfigureAwait(false);
        }
        if (!IsDryRun(arguments))
        {
            if (question is not null)
                Confirm(arguments, question);
            await using var store = await OpenForWritingAsync(arguments, cancellationToken).ConfigureAwait(false);
            await TrySendAsync(() => send(store, named)).ConfigureAwait(false);
        }
        var report = new RequestReport
        {
            Projection = kind == FollowerKind.Projection ? named : null,
            Reaction = kind == FollowerKind.Reaction ? named : null,
            Request = request,
            IsDryRun = IsDryRun(arguments),
        };
        return WriteDone(arguments, report, report => Terminal.Out.WriteLine(report.IsDryRun
            ? $"Would request {request} {Of} {named}."
            : $"Requested {request} {Of} {named}. The process that runs the {kind.Name} carries it out, now or when it starts; "
                + $"opossum {kind.Name}s list shows whether it has."));
    }

    private string Of => kind == FollowerKind.Projection ? "of" : "by";

    // An event that is not parked, or at which it has not stopped; a position that the store does not have; a reason that is too long.
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
}
