using System.CommandLine;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Shows one event: everything that is known about it.</summary>
internal sealed class ShowCommand : StoreCommand
{
    private static readonly JsonWriterOptions indented = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        Indented = true,
        NewLine = "\n",
    };

    private readonly Argument<string> position = new("event") { Description = "The event's position, its id, or last" };
    private readonly MasterKeyOptions masterKey = new();

    public ShowCommand(Terminal terminal)
        : base(terminal, "show", "Show one event with its data, its append and its file",
            "opossum show sales 42",
            "opossum show sales last",
            "opossum show sales 01990a6b-2c7e-7b1a-8f31-0c4d5e6f7a8b",
            "opossum show sales 42 --json",
            "opossum show sales 42 --master-key sales.masterkey")
        => Add([position, .. masterKey.All]);

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var text = arguments.GetRequiredValue(position);
        var number = 0L;
        var isId = Guid.TryParse(text, out var id);
        if (!isId && text != "last" && (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) || number == 0))
            throw new CliException(ExitCode.Usage, $"{text} is no position and no id. Write a number from 1, the id of an event, or last.");
        await using var store = await OpenForReadingAsync(arguments, cancellationToken, masterKey.Of(arguments)).ConfigureAwait(false);
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        if (isId)
        {
            number = (await store.FindAsync(id, cancellationToken).ConfigureAwait(false))?.Position
                ?? throw new CliException(ExitCode.Negative, $"No event in {status.Path} has the id {id}.");
        }
        var shown = await EventFile.ReadEventAsync(store, number == 0 ? status.Head : number, cancellationToken).ConfigureAwait(false)
            ?? throw new CliException(ExitCode.Negative, $"There is no event {(number == 0 ? "" : $"{number} ")}in {status.Path}: "
                + $"{(status.Head == 0 ? "it is empty" : $"it ends at position {Text.Of(status.Head)}")}.");
        var file = EventFile.Of(status, shown);
        if (WantsJson(arguments))
            WriteJson(shown, file, masterKey.IsGiven(arguments));
        else
            WriteText(shown, file, masterKey.IsGiven(arguments));
        return ExitCode.Ok;
    }

    private void WriteJson(SequencedEvent shown, EventFile file, bool isDecrypted)
    {
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, indented))
        {
            json.WriteStartObject();
            EventWriter.WriteMembers(json, shown, isDecrypted);
            json.WriteString("file"u8, file.Path);
            json.WritePropertyName("commit"u8);
            if (file.Commit is { } commit)
                JsonSerializer.Serialize(json, commit, ReportJson.Default.EventCommit);
            else
                json.WriteNullValue();
            json.WriteEndObject();
        }
        Terminal.Out.WriteLine(Encoding.UTF8.GetString(buffer.ToArray()));
    }

    private void WriteText(SequencedEvent shown, EventFile file, bool isDecrypted)
    {
        var facts = new Columns(Terminal, Column.Dim, Column.Words);
        facts.Add("position", Text.Of(shown.Position));
        facts.Add("type", shown.Version == 1 ? shown.Type : $"{shown.Type}, version {shown.Version}");
        facts.Add("time", Text.Of(shown.Timestamp));
        facts.Add("tags", string.Join(" ", shown.Tags));
        foreach (var (key, value) in shown.Metadata)
            facts.Add("metadata", $"{key} = {value}");
        facts.Add("id", shown.Id.ToString());
        facts.Add("append", AppendInWords(shown, file));
        if (shown.Condition is { } condition)
            facts.Add("condition", $"no event after {Text.Of(condition.After ?? 0)} matches {condition.FailIfEventsMatch}");
        facts.Add("file", file.Path);
        facts.Write();
        Terminal.Out.WriteLine();
        foreach (var line in Indent(EventWriter.DataOf(shown, isDecrypted)).Split('\n'))
            Terminal.Out.WriteLine(Text.Visible(line));
    }

    private static string AppendInWords(SequencedEvent shown, EventFile file) => file.Commit switch
    {
        null => $"unknown: {file.Problem}",
        { First: var first, Last: var last } when first == last => "this event alone",
        { First: var first, Last: var last } => $"event {shown.Position - first + 1} of {last - first + 1}: positions {first} to {last}",
    };

    private static string Indent(ReadOnlyMemory<byte> data)
    {
        using var buffer = new MemoryStream();
        using (var document = JsonDocument.Parse(data))
        using (var json = new Utf8JsonWriter(buffer, indented))
            document.WriteTo(json);
        return Encoding.UTF8.GetString(buffer.ToArray());
    }
}
