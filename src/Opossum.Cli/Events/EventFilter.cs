using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Events;

/// <summary>The options that select events, the same in every command that reads some.</summary>
internal sealed class EventFilter
{
    private readonly Option<string[]> types = new("--type", "-t")
    {
        Description = "Only events of this type; repeat it for several, any of which counts",
        HelpName = "name",
    };
    private readonly Option<string[]> tags = new("--tag", "-g")
    {
        Description = "Only events with this tag; repeat it for several, all of which count",
        HelpName = "key:value",
    };
    private readonly Option<string?> since = new("--since")
    {
        Description = "Only events from this time on: 2026-11-20, 2026-11-20T09:30, or 2h, 3d ago",
        HelpName = "time",
    };
    private readonly Option<string?> until = new("--until")
    {
        Description = "Only events up to this time, and at it",
        HelpName = "time",
    };
    private readonly Option<string[]> where = new("--where", "-w")
    {
        Description = "Only events whose data fits, such as total>=20 or customer.name=Ada; repeat it for several, all of which count. "
            + "It sees what is stored, so it finds nothing in encrypted personal data",
        HelpName = "member=value",
    };

    public IReadOnlyList<Option> All => [.. OfIndex, since, until, where];

    /// <summary>Those that the index answers.</summary>
    public IReadOnlyList<Option> OfIndex => [types, tags];

    /// <summary>The events with the types and tags that were asked for.</summary>
    public Query QueryOf(ParseResult arguments) => EventSelection.QueryOf(arguments.GetValue(types) ?? [], arguments.GetValue(tags) ?? []);

    /// <summary>Says which of the types and tag keys that were asked for no event has.</summary>
    public Task WriteUnknownAsync(ParseResult arguments, FileSystemEventStore store, Terminal terminal,
        CancellationToken cancellationToken) =>
        UnknownNames.WriteAsync(store, arguments.GetValue(types) ?? [], arguments.GetValue(tags) ?? [], terminal, cancellationToken);

    /// <exception cref="CliException">An option is wrong.</exception>
    public EventSelection Of(ParseResult arguments, TimeProvider clock) => new(
        QueryOf(arguments),
        arguments.GetValue(since) is { } first ? Moment.Parse(first, "--since", clock) : null,
        arguments.GetValue(until) is { } last ? Moment.Parse(last, "--until", clock) : null,
        [.. (arguments.GetValue(where) ?? []).Select(DataCondition.Parse)]);
}
