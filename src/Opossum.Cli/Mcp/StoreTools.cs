using System.Text.Json;
using ModelContextProtocol.Protocol;
using Opossum.Cli.Commands;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Mcp;

/// <summary>The tools of the server: info, query, show and tail.</summary>
internal sealed class StoreTools(FileSystemEventStore store, TimeProvider clock)
{
    private const int DaysShown = 14;
    private const int LimitUnlessGiven = 20;
    private const int LimitMax = 100;
    private const int WaitSecondsMax = 30;

    private const string Filter = """
        "types": { "type": "array", "items": { "type": "string" }, "description": "Event types, of which an event has one" },
        "tags": { "type": "array", "items": { "type": "string" }, "description": "Tags as key:value, all of which an event has" },
        "where": { "type": "array", "items": { "type": "string" },
          "description": "Conditions on the data, all of which are true: total>=20, customer.name=Ada, note~late" },
        "since": { "type": "string", "description": "The earliest time: 2026-11-20, 2026-11-20T09:30Z, or 2h, 3d ago" },
        "until": { "type": "string", "description": "Only events before this time" },
        "limit": { "type": "integer", "minimum": 1, "maximum": 100, "description": "At most so many events; 20 unless given" }
        """;

    public static IReadOnlyList<Tool> All { get; } =
    [
        New("info", "Shows what is in the store: last position, event types, tag keys, events by day.", "{}", []),
        New("query", "Reads events in order, by type, tag, time, position and data.", $$"""
            { {{Filter}},
              "after": { "type": "integer", "minimum": 0, "description": "Only events after this position" },
              "upTo": { "type": "integer", "minimum": 0, "description": "Only events up to this position" } }
            """, []),
        New("show", "Shows one event, its append and its file.", """{ "position": { "type": "integer", "minimum": 1 } }""", ["position"]),
        New("tail", "Reads the last events; or, with after, those that follow a position, and waits for one if there is none yet.", $$"""
            { {{Filter}},
              "after": { "type": "integer", "minimum": 0, "description": "Only events after this position" },
              "waitSeconds": { "type": "integer", "minimum": 0, "maximum": 30, "description": "How long to wait for an event; 0 unless given" } }
            """, []),
    ];

    public async ValueTask<CallToolResult> CallAsync(CallToolRequestParams call, CancellationToken cancellationToken)
    {
        var arguments = new ToolArguments(call.Arguments ?? new Dictionary<string, JsonElement>());
        try
        {
            return Answer(call.Name switch
            {
                "info" => await InfoAsync(cancellationToken).ConfigureAwait(false),
                "query" => await QueryAsync(arguments, cancellationToken).ConfigureAwait(false),
                "show" => await ShowAsync(arguments, cancellationToken).ConfigureAwait(false),
                "tail" => await TailAsync(arguments, cancellationToken).ConfigureAwait(false),
                _ => throw new CliException(ExitCode.Usage, "There is no such tool. The tools are info, query, show and tail."),
            });
        }
        catch (Exception e) when (e is CliException or EventStoreException or ArgumentException)
        {
            return Answer(e.Message, isError: true);
        }
    }

    private async Task<string> InfoAsync(CancellationToken cancellationToken)
    {
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        var growth = GrowthByDay.Find(store, status, DaysShown, cancellationToken);
        // The names of types and tags come from other programs, too.
        return MarkedData.Of(JsonSerializer.SerializeToElement(InfoReport.Of(status, growth), ReportJson.Default.InfoReport));
    }

    private async Task<string> QueryAsync(ToolArguments arguments, CancellationToken cancellationToken)
    {
        var limit = LimitOf(arguments);
        var (after, upTo) = (arguments.Number("after") ?? 0, arguments.Number("upTo"));
        var found = EventReading.ForwardsAsync(store, SelectionOf(arguments), after, upTo, limit, cancellationToken);
        return await MarkedData.OfAsync(found, limit, cancellationToken).ConfigureAwait(false);
    }

    private async Task<string> ShowAsync(ToolArguments arguments, CancellationToken cancellationToken)
    {
        var position = arguments.Number("position") ?? throw new CliException(ExitCode.Usage, "Pass the position.");
        var shown = position > 0 ? await EventFile.ReadEventAsync(store, position, cancellationToken).ConfigureAwait(false) : null;
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        if (shown is null)
            throw new CliException(ExitCode.Negative, $"There is no event {Text.Of(position)}: the store ends at position {Text.Of(status.Head)}.");
        var file = EventFile.Of(status, shown);
        var append = file.Commit is { } commit ? $"Appended as positions {commit.First} to {commit.Last}. Its file is {file.Path}."
            : $"Its append is unknown: {file.Problem}.";
        return $"{append}\n{MarkedData.Of(shown)}";
    }

    private async Task<string> TailAsync(ToolArguments arguments, CancellationToken cancellationToken)
    {
        var (limit, selection) = (LimitOf(arguments), SelectionOf(arguments));
        if (arguments.Number("after") is not { } after)
        {
            var last = EventReading.LastAsync(store, selection, after: 0, upTo: null, limit, cancellationToken);
            return await MarkedData.OfAsync(last, limit, cancellationToken).ConfigureAwait(false);
        }
        var wait = TimeSpan.FromSeconds(Math.Clamp(arguments.Number("waitSeconds") ?? 0, 0, WaitSecondsMax));
        await WaitAsync(selection.Query, after, wait, cancellationToken).ConfigureAwait(false);
        var found = EventReading.ForwardsAsync(store, selection, after, upTo: null, limit, cancellationToken);
        return await MarkedData.OfAsync(found, limit, cancellationToken).ConfigureAwait(false);
    }

    private async Task WaitAsync(Query query, long after, TimeSpan wait, CancellationToken cancellationToken)
    {
        if (wait == TimeSpan.Zero)
            return;
        using var timeout = new CancellationTokenSource(wait, clock);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            await foreach (var _ in store.SubscribeAsync(query, after, either.Token).ConfigureAwait(false))
                return;
        }
        catch (OperationCanceledException) when (timeout.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            // No event came; the answer says so.
        }
    }

    private EventSelection SelectionOf(ToolArguments arguments) => new(
        EventSelection.QueryOf(arguments.Texts("types"), arguments.Texts("tags")),
        arguments.Text("since") is { } since ? Moment.Parse(since, "since", clock) : null,
        arguments.Text("until") is { } until ? Moment.Parse(until, "until", clock) : null,
        [.. arguments.Texts("where").Select(DataCondition.Parse)]);

    private static int LimitOf(ToolArguments arguments) => (int)Math.Clamp(arguments.Number("limit") ?? LimitUnlessGiven, 1, LimitMax);

    private static Tool New(string name, string description, string properties, IReadOnlyList<string> required) => new()
    {
        Name = name,
        Description = description,
        InputSchema = JsonElement.Parse($$"""
            { "type": "object", "properties": {{properties}}, "required": [{{string.Join(", ", required.Select(static each => $"\"{each}\""))}}] }
            """),
        Annotations = new ToolAnnotations { ReadOnlyHint = true, DestructiveHint = false, IdempotentHint = true, OpenWorldHint = false },
    };

    private static CallToolResult Answer(string text, bool isError = false) => new()
    {
        Content = [new TextContentBlock { Text = text }],
        IsError = isError,
    };
}
