using System.CommandLine;
using System.Globalization;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Shows where a text or a person still lies in plain.</summary>
internal sealed class FindPersonCommand : StoreCommand
{
    private readonly Argument<string> text = new("text") { Description = "A text, such as a name; or a person's tag, as customer:c1" };
    private readonly KeysOption keys = new();

    public FindPersonCommand(Terminal terminal)
        : base(terminal, "find-person", "Find where a text or a person lies in plain: in every file of the store's folder",
            """opossum find-person sales "Ann Archer" """.TrimEnd(),
            "opossum find-person sales customer:c7",
            "opossum find-person sales ann@example.org --json")
        => Add(text, keys);

    public override string WhenCancelled => "Cancelled. Not all files were searched.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = ExistingStoreOf(arguments);
        var folder = keys.Of(arguments);
        var report = await WithProgressAsync(progress => PersonalDataSearch.RunAsync(path,
            arguments.GetRequiredValue(text), folder, progress, cancellationToken)).ConfigureAwait(false);
        Write(arguments, report, WriteText);
        if (report.NotSearched.Count > 0)
            return ExitCode.Failed;
        return report.Total > 0 ? ExitCode.Negative : ExitCode.Ok;
    }

    private void WriteText(PersonalDataSearchReport report)
    {
        var searched = Text.Count(report.Files, "file");
        Terminal.Out.WriteLine(report.Total == 0 ? $"Not found in {searched}."
            : $"Found in {Text.Count(report.Total, "place")} of {searched}.");
        if (report.Person is { } person)
            WritePerson(person);
        if (report.Hits.Count > 0)
            WriteHits(report);
        foreach (var each in report.NotSearched)
            Terminal.Out.WriteLine($"Not searched: {Text.Visible(each.Path)}: {Text.Visible(each.Problem)}");
    }

    private void WritePerson(PersonKey person)
    {
        // Where the keys are missing, nothing is known of a person without a file.
        if (person is not { State: PersonKeyState.None, KeysProblem: not null })
            Terminal.Out.WriteLine(InWords(person));
        if (person.KeysProblem is { } problem)
            Terminal.Out.WriteLine($"{Text.Visible(problem)} If the app keeps its keys elsewhere, pass --keys FOLDER.");
    }

    private void WriteHits(PersonalDataSearchReport report)
    {
        Terminal.Out.WriteLine();
        if (report.Hits.Count < report.Total)
            Terminal.Out.WriteLine($"The first {Text.Of(report.Hits.Count)}:");
        foreach (var hit in report.Hits)
            Terminal.Out.WriteLine(Text.Visible($"{InWords(hit)}  {hit.Path}"));
    }

    private static string InWords(PersonalDataHit hit)
    {
        var what = hit.Place switch
        {
            PersonalDataPlace.EventFile => "event",
            PersonalDataPlace.Line => "line of event",
            PersonalDataPlace.Index => "index of types and tags",
            PersonalDataPlace.Quarantine => "set aside: event",
            PersonalDataPlace.Reaction => "reaction",
            PersonalDataPlace.Projection => $"projection {hit.Projection}",
            PersonalDataPlace.Keys => "keys",
            PersonalDataPlace.Proof => "proof",
            _ => "other file",
        };
        if (hit.Position is { } position)
            what += string.Create(CultureInfo.InvariantCulture, $" {position}");
        if (hit.EventType is { } type)
            what += $" {type}";
        if (hit.Key is { } key)
            what += $", state {key}";
        var where = hit.Member ?? (hit.Offset is { } offset ? string.Create(CultureInfo.InvariantCulture, $"byte {offset}") : "file name");
        return $"{what}, {where}";
    }

    private static string InWords(PersonKey person) => person.State switch
    {
        PersonKeyState.Key => $"{person.Subject} has a key: encrypted personal data of this person can be read.",
        PersonKeyState.Damaged => $"The key file of {person.Subject} is damaged. opossum forget replaces it.",
        PersonKeyState.Forgetting => $"Forgetting {person.Subject} has begun and is not finished. opossum forget finishes it.",
        PersonKeyState.Forgotten => string.Create(CultureInfo.InvariantCulture,
            $"{person.Subject} was forgotten on {person.Forgotten:yyyy-MM-dd}: the key is removed."),
        _ => $"{person.Subject} has no key and was not forgotten.",
    };
}
