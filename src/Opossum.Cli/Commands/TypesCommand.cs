using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Shows what the JSON of event types looks like, as the app's classes have described it.</summary>
internal sealed class TypesCommand : StoreCommand
{
    private readonly Option<string?> schema = new("--schema")
    {
        Description = "Write the JSON Schema of the newest version of this event type",
        HelpName = "type",
    };

    public TypesCommand(Terminal terminal)
        : base(terminal, "types", "Show the versions, members and personal members of event types",
            "opossum types sales",
            "opossum types sales --schema order-placed > order-placed.json")
        => Add(schema);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken).ConfigureAwait(false);
        var schemas = await store.GetSchemasAsync(cancellationToken).ConfigureAwait(false);
        if (arguments.GetValue(schema) is not { } name)
            return Write(arguments, new SchemasReport(schemas), WriteText);
        Terminal.Out.Write(Find(schemas, name).Json);
        return ExitCode.Ok;
    }

    private static EventTypeSchema Find(IReadOnlyList<EventTypeSchema> schemas, string name) =>
        schemas.LastOrDefault(each => each.EventType == name)
            ?? throw new CliException(ExitCode.Negative,
                $"The store has no schema of the event type {Text.Visible(name)}. An app writes it before it appends "
                + "the first event of a class; events that were appended as JSON have none.");

    private void WriteText(SchemasReport report)
    {
        if (report.Types.Count == 0)
        {
            Terminal.Out.WriteLine(
                "No event type is described: an app does that before it appends the first event of a class.");
            return;
        }
        var rows = new Columns(Terminal, new Column(Style: Style.Bold), Column.Number, Column.Words,
            Column.Words);
        rows.Add("type", "version", "members", "personal");
        foreach (var type in report.Types)
            rows.Add(type.EventType, Text.Of(type.Version), Join(type.Members), Join(type.PersonalMembers));
        rows.Write();
    }

    private static string Join(IReadOnlyList<string> members) =>
        members.Count == 0 ? "-" : string.Join(", ", members);
}
