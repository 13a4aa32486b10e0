using System.CommandLine;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Appends events from a file or the standard input, as one append.</summary>
internal sealed class AppendCommand : ChangeCommand
{
    private readonly InputArgument file = new("The file with the events; - or nothing for the standard input");
    private readonly Option<string?> type = new("--type", "-t")
    {
        Description = "The events' type; without it each event is an object with type and data",
        HelpName = "name",
    };
    private readonly Option<string[]> tags = new("--tag", "-g")
    {
        Description = "A tag of every event; repeat it for several",
        HelpName = "key:value",
    };
    private readonly Option<string[]> metadata = new("--meta", "-m")
    {
        Description = "An entry of every event's metadata; repeat it for several",
        HelpName = "key=value",
    };
    private readonly Option<long?> after = new("--after")
    {
        Description = "Append only if no event follows this position: none at all, or none of --unless-type and --unless-tag",
        HelpName = "position",
    };
    private readonly Option<string[]> unlessTypes = new("--unless-type")
    {
        Description = "Append only if there is no event of this type; repeat it for several",
        HelpName = "name",
    };
    private readonly Option<string[]> unlessTags = new("--unless-tag")
    {
        Description = "Append only if there is no event with this tag; repeat it for several, all of which count",
        HelpName = "key:value",
    };

    private readonly Option<bool> allowPlain = new("--allow-plain")
    {
        Description = "Store members in plain that are encrypted in other events of the type",
    };

    public AppendCommand(Terminal terminal)
        : base(terminal, "append", "Append JSON events from a file or the standard input, all or none",
            """echo '{"orderId":"o1","total":20}' | opossum append sales --type order-placed --tag order:o1""",
            "opossum append sales orders.jsonl --type order-placed --dry-run",
            "opossum append sales order.json --type order-placed --tag order:o1 --unless-tag order:o1",
            """echo '{"type":"order-placed","tags":["order:o1"],"data":{"total":20}}' | opossum append sales --after 41""")
    {
        Add(file, type, tags, metadata, after, unlessTypes, unlessTags, allowPlain);
        NumberOption.RefuseNegative(after, " Write the last position that you know, or 0.");
    }

    public override string? WhenCancelled => "Cancelled. Nothing was appended, unless the append had begun: opossum read STORE --last 1 shows it.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        await StoreToChangeAsync(arguments, cancellationToken).ConfigureAwait(false);
        var events = ReadEvents(arguments, cancellationToken);
        var condition = ConditionOf(arguments);
        return IsDryRun(arguments)
            ? await TryAsync(arguments, events, condition, cancellationToken).ConfigureAwait(false)
            : await AppendAsync(arguments, events, condition, cancellationToken).ConfigureAwait(false);
    }

    private async Task<ExitCode> AppendAsync(ParseResult arguments, List<NewEvent> events, AppendCondition? condition,
        CancellationToken cancellationToken)
    {
        await using var store = await OpenForWritingAsync(arguments, cancellationToken).ConfigureAwait(false);
        events = await InLastVersionAsync(arguments, store, events, cancellationToken).ConfigureAwait(false);
        await ThrowIfPlainAsync(arguments, store, events, cancellationToken).ConfigureAwait(false);
        var result = await store.AppendAsync(events, condition, cancellationToken).ConfigureAwait(false);
        return WriteDone(arguments, new AppendReport(events.Count, result.FirstPosition, result.LastPosition, IsDryRun: false), WriteText);
    }

    private async Task<ExitCode> TryAsync(ParseResult arguments, List<NewEvent> events, AppendCondition? condition,
        CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        events = await InLastVersionAsync(arguments, store, events, cancellationToken).ConfigureAwait(false);
        await ThrowIfPlainAsync(arguments, store, events, cancellationToken).ConfigureAwait(false);
        var head = await store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        if (condition is not null)
        {
            var options = new ReadOptions { After = condition.After ?? 0, Limit = 1 };
            await foreach (var conflict in store.ReadAsync(condition.FailIfEventsMatch, options, cancellationToken).ConfigureAwait(false))
                throw new CliException(ExitCode.Negative, $"The append would fail: event {conflict} matches its condition. Nothing was appended.");
        }
        return Write(arguments, new AppendReport(events.Count, head + 1, head + events.Count, IsDryRun: true), WriteText);
    }

    // With --type, events are like the last one of the type; only the other form has a version of its own.
    private async Task<List<NewEvent>> InLastVersionAsync(ParseResult arguments, FileSystemEventStore store, List<NewEvent> events,
        CancellationToken cancellationToken)
    {
        if (arguments.GetValue(type) is not { } name)
            return events;
        var last = new ReadOptions { Backwards = true, Limit = 1 };
        await foreach (var found in store.ReadAsync(Query.FromEventTypes(name), last, cancellationToken).ConfigureAwait(false))
            return [.. events.Select(e => NewEvent.FromJson(name, e.Json, found.Version, [.. e.Tags]) with { Metadata = e.Metadata })];
        return events;
    }

    // The command does not know the app's classes, and encrypts nothing.
    private async Task ThrowIfPlainAsync(ParseResult arguments, FileSystemEventStore store, List<NewEvent> events,
        CancellationToken cancellationToken)
    {
        if (arguments.GetValue(allowPlain))
            return;
        foreach (var plain in await PersonalDataSearch.FindPlainAsync(store, events, cancellationToken).ConfigureAwait(false))
        {
            var reason = plain.ShownBy == 0 ? "the store's schema of the type says so" : $"event {Text.Of(plain.ShownBy)} has it encrypted";
            throw new CliException(ExitCode.Negative, $"The member {plain.Member} of {Text.Visible(events[plain.Event].Type!)} is personal data: "
                + $"{reason}, and this command would store it in plain. Append it with the app, or pass "
                + "--allow-plain. Nothing was appended.");
        }
    }

    private List<NewEvent> ReadEvents(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = file.PathOf(arguments);
        if (path is null && Terminal.CanAsk)
            Terminal.Error.WriteLine($"Type the events as JSON, and end with {(OperatingSystem.IsWindows() ? "Ctrl-Z and Enter" : "Ctrl-D")}.");
        using var input = file.Open(arguments, Terminal, cancellationToken);
        using var bytes = new MemoryStream();
        input.CopyTo(bytes);
        var source = path ?? "The standard input";
        var events = new EventInput(source, arguments.GetValue(type), [.. (arguments.GetValue(tags) ?? []).Select(Tag.Parse)], MetadataOf(arguments))
            .Read(bytes.ToArray());
        return events.Count > 0 ? events : throw new CliException(ExitCode.Usage, $"{source} holds no event. Nothing was appended.");
    }

    private Dictionary<string, string> MetadataOf(ParseResult arguments)
    {
        var entries = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var entry in arguments.GetValue(metadata) ?? [])
        {
            var at = entry.IndexOf('=', StringComparison.Ordinal);
            if (at <= 0)
                throw new CliException(ExitCode.Usage, $"--meta {entry} is not written key=value.");
            entries[entry[..at]] = entry[(at + 1)..];
        }
        return entries;
    }

    private AppendCondition? ConditionOf(ParseResult arguments)
    {
        var query = EventSelection.QueryOf(arguments.GetValue(unlessTypes) ?? [], arguments.GetValue(unlessTags) ?? []);
        var position = arguments.GetValue(after);
        return query.IsAll && position is null ? null : new AppendCondition(query, position);
    }

    private void WriteText(AppendReport report) => Terminal.Out.WriteLine(
        $"{(report.IsDryRun ? "Would append" : "Appended")} {Text.Count(report.Events, "event")} at "
            + $"{Text.Positions(report.FirstPosition, report.LastPosition)}.");
}
