using System.CommandLine;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Shows the last events, and then each new one.</summary>
internal sealed class TailCommand : StoreCommand
{
    private readonly EventFilter filter = new();
    private readonly Option<long?> last = new("--last", "-n")
    {
        Description = "How many events to begin with",
        HelpName = "number",
        DefaultValueFactory = static _ => 10,
    };
    private readonly Option<long?> limit = new("--limit") { Description = "End after this number of events", HelpName = "number" };

    public TailCommand(Terminal terminal)
        : base(terminal, "tail", "Show the last events and then each new one, until Ctrl-C",
            "opossum tail sales",
            "opossum tail sales --type order-placed --last 0",
            "opossum tail sales --json | jq .data")
    {
        Add([.. filter.All, last, limit]);
        NumberOption.RefuseNegative(last);
        NumberOption.RefuseNegative(limit);
    }

    public override string? WhenCancelled => null;

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var selection = filter.Of(arguments, Terminal.TimeProvider);
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        await filter.WriteUnknownAsync(arguments, store, Terminal, cancellationToken).ConfigureAwait(false);
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        var writer = EventWriter.For(Terminal, WantsJson(arguments), status);
        var left = arguments.GetValue(limit) ?? long.MaxValue;
        var stored = EventReading.LastAsync(store, selection, after: 0, status.Head, arguments.GetValue(last)!.Value, cancellationToken);
        await foreach (var read in stored.ConfigureAwait(false))
        {
            if (left-- > 0)
                writer.Write(read);
        }
        await Terminal.Out.FlushAsync(cancellationToken).ConfigureAwait(false);
        if (left > 0)
            await FollowAsync(store, selection, status.Head, writer, left, cancellationToken).ConfigureAwait(false);
        return ExitCode.Ok;
    }

    private async Task FollowAsync(FileSystemEventStore store, EventSelection selection, long after, EventWriter writer, long left,
        CancellationToken cancellationToken)
    {
        await foreach (var read in store.SubscribeAsync(selection.Query, after, cancellationToken).ConfigureAwait(false))
        {
            if (!selection.Includes(read))
                continue;
            writer.Write(read);
            await Terminal.Out.FlushAsync(cancellationToken).ConfigureAwait(false);
            if (--left == 0)
                return;
        }
    }
}
