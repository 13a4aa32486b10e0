using System.CommandLine;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Reads events by type, tag, time, position and data.</summary>
internal sealed class ReadCommand : StoreCommand
{
    private readonly EventFilter filter = new();
    private readonly Option<long?> after = new("--after") { Description = "Only events after this position", HelpName = "position" };
    private readonly Option<long?> upTo = new("--up-to") { Description = "Only events up to this position", HelpName = "position" };
    private readonly Option<long?> last = new("--last", "-n") { Description = "Only this number of events, the last ones", HelpName = "number" };
    private readonly Option<long?> limit = new("--limit") { Description = "Only this number of events, the first ones", HelpName = "number" };
    private readonly MasterKeyOptions masterKey = new();
    private readonly Option<bool> count = new("--count") { Description = "Only the number of events" };

    public ReadCommand(Terminal terminal)
        : base(terminal, "read", "Read events by type, tag, time, position and data; --json writes a line each",
            "opossum read sales --last 10",
            "opossum read sales --type order-placed --tag customer:c7",
            "opossum read sales --since 2h --where 'total>=100'",
            "opossum read sales --after 200 --up-to 300 --json",
            "opossum read sales --type order-placed --count",
            "opossum read sales --tag customer:c7 --master-key sales.masterkey")
    {
        Aliases.Add("query");
        Add([.. filter.All, after, upTo, last, limit, count, .. masterKey.All]);
        foreach (var option in new[] { after, upTo, last, limit })
            NumberOption.RefuseNegative(option);
        Validators.Add(result =>
        {
            // A value that cannot be read has an error of its own, and asking for it here would throw.
            if (result.GetResult(last) is not null && result.GetResult(limit) is not null)
                result.AddError("--last and --limit cannot be combined: one counts from the end, the other from the beginning.");
        });
    }

    public override string? WhenCancelled => null;

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var selection = filter.Of(arguments, Terminal.TimeProvider) with { IsDecrypted = masterKey.IsGiven(arguments) };
        await using var store = await OpenForReadingAsync(arguments, cancellationToken, masterKey.Of(arguments)).ConfigureAwait(false);
        await filter.WriteUnknownAsync(arguments, store, Terminal, cancellationToken).ConfigureAwait(false);
        var events = ReadAsync(store, arguments, selection, cancellationToken);
        if (arguments.GetValue(count))
            Write(arguments, new CountReport(await CountAsync(events).ConfigureAwait(false)), WriteCount);
        else
            await WriteAsync(store, arguments, events, cancellationToken).ConfigureAwait(false);
        return ExitCode.Ok;
    }

    private IAsyncEnumerable<SequencedEvent> ReadAsync(FileSystemEventStore store, ParseResult arguments, EventSelection selection,
        CancellationToken cancellationToken)
    {
        var (start, end) = (arguments.GetValue(after) ?? 0, arguments.GetValue(upTo));
        return arguments.GetValue(last) is { } number
            ? EventReading.LastAsync(store, selection, start, end, number, cancellationToken)
            : EventReading.ForwardsAsync(store, selection, start, end, arguments.GetValue(limit), cancellationToken);
    }

    private async Task WriteAsync(FileSystemEventStore store, ParseResult arguments, IAsyncEnumerable<SequencedEvent> events,
        CancellationToken cancellationToken)
    {
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        var writer = EventWriter.For(Terminal, WantsJson(arguments), status, masterKey.IsGiven(arguments));
        await foreach (var read in events.ConfigureAwait(false))
            writer.Write(read);
    }

    private void WriteCount(CountReport report) => Terminal.Out.WriteLine(report.Count);

    private static async Task<long> CountAsync(IAsyncEnumerable<SequencedEvent> events)
    {
        var counted = 0L;
        await foreach (var _ in events.ConfigureAwait(false))
            counted++;
        return counted;
    }
}
