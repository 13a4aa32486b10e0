using System.CommandLine;
using System.Globalization;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Forgets a person.</summary>
internal sealed class ForgetCommand : ChangeCommand
{
    private readonly Argument<string> subject = new("subject") { Description = "The person: the tag that the personal data names, as customer:c1" };
    private readonly Option<string> reason = new("--reason")
    {
        Description = "The reason, for the record. It is stored readable: no personal data",
        HelpName = "text",
        Required = true,
    };
    private readonly Option<string?> masterKey = new("--master-key")
    {
        Description = "The file of the master key: what the person's values are is searched for before they are lost; needed with --pseudonym",
        HelpName = "file",
    };
    private readonly Option<bool> pseudonym = new("--pseudonym")
    {
        Description = "The store has the tag as a pseudonym: the subject is written as the app knows it, as email:ann@example.org",
    };
    private const string WithoutMasterKey =
        "Without --master-key the person's values are not known, so it was not searched where they stand in plain, and a key under a "
            + "pseudonym of the tag stays.";

    private readonly KeysOption keys = new();

    public ForgetCommand(Terminal terminal)
        : base(terminal, "forget", "Forget a person: remove the person's key for good, and append an event that says so",
            """opossum forget sales customer:c7 --reason "request of 2026-11-20" --master-key sales.masterkey --dry-run""",
            """opossum forget sales customer:c7 --reason "request of 2026-11-20" --master-key sales.masterkey --yes""")
    {
        Add(subject, reason, pseudonym, masterKey, keys);
        Validators.Add(result =>
        {
            if (result.GetResult(pseudonym) is { Implicit: false } && result.GetResult(masterKey) is null)
                result.AddError("--pseudonym needs --master-key: the master key makes the pseudonym.");
        });
    }

    public override string WhenCancelled => "Cancelled. If the person's key was removed already, run the command again: it finishes the rest.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = await StoreToChangeAsync(arguments, cancellationToken).ConfigureAwait(false);
        var given = Tag.Parse(arguments.GetRequiredValue(subject));
        var key = arguments.GetValue(masterKey) is { } file ? MasterKeyFile.Read(file) : null;
        var options = new PersonalDataOptions { MasterKey = key, KeysFolder = keys.Of(arguments) };
        var named = arguments.GetValue(pseudonym) ? Tag.Pseudonym(given.Key, given.Value) : given;
        var before = await FindAsync(named).ConfigureAwait(false);
        var person = before.Subject;
        // A member may name the person by the identifier, and a tag by its pseudonym. The master key alone tells that both are one person.
        var otherName = arguments.GetValue(pseudonym) ? given : Tag.Pseudonym(given.Key, given.Value);
        var other = key is null ? null : await FindAsync(otherName).ConfigureAwait(false);
        if (before.State is PersonKeyState.None or PersonKeyState.Forgotten
            && other is { State: PersonKeyState.Key or PersonKeyState.Damaged or PersonKeyState.Forgetting })
        {
            before = before with { State = other.State };
        }
        if (before.KeysProblem is { } problem)
            throw new CliException(ExitCode.Failed, $"{problem} If the app keeps its keys elsewhere, pass --keys FOLDER. Nothing was changed.");
        if (!before.StoreHasKeys && before.State == PersonKeyState.None)
        {
            throw new CliException(ExitCode.Failed, $"{before.KeysFolder} has no keys: no personal data was encrypted with keys from there. If the "
                + "app keeps its keys elsewhere (PersonalData.KeysFolder), pass --keys FOLDER. Nothing was changed.");
        }
        var (found, notSearched) = await LookAsync(arguments, named, options, cancellationToken).ConfigureAwait(false);
        if (IsDryRun(arguments))
        {
            return Write(arguments, new ForgetReport($"{person}", before.State, before.Forgotten, Position: null, IsDryRun: true)
            {
                Remaining = RemainingOf(found, blanked: []),
                NotSearched = notSearched,
            }, WriteDryRun);
        }
        if (before.State is PersonKeyState.Key or PersonKeyState.Damaged)
            Confirm(arguments, $"Remove the key of {person} for good? What was encrypted with it can never be read again.");
        if (before.State == PersonKeyState.None)
            Confirm(arguments, $"{person} has no key: nothing is encrypted for this person. Keep one from being made, for good?");
        await using var store = await OpenForWritingAsync(arguments, cancellationToken, options).ConfigureAwait(false);
        var result = await store.ForgetAsync(named, arguments.GetRequiredValue(reason), cancellationToken).ConfigureAwait(false);
        return WriteDone(arguments, new ForgetReport($"{person}", before.State, result.Forgotten, result.Position, IsDryRun: false)
        {
            Blanked = result.Blanked,
            Remaining = [.. RemainingOf(found, result.Blanked), .. result.Remaining.Select(static each => $"{each.Path}: {each.Problem}")],
            PlainEvents = result.PlainEvents,
            NotSearched = notSearched ?? result.NotSearched,
        }, WriteResult);

        Task<PersonKey> FindAsync(Tag tag) =>
            PersonalKeys.FindAsync(path, tag, options.KeysFolder, key, cancellationToken);
    }

    private async Task<(PersonalDataSearchReport? Found, string? NotSearched)> LookAsync(ParseResult arguments, Tag person,
        PersonalDataOptions options, CancellationToken cancellationToken)
    {
        await using var store = await OpenForReadingAsync(arguments, cancellationToken, options).ConfigureAwait(false);
        await JudgeAsync(() => store.ForgetAsync(person, arguments.GetRequiredValue(reason), cancellationToken)).ConfigureAwait(false);
        if (options.MasterKey is null)
            return (null, WithoutMasterKey);
        try
        {
            return (await WithProgressAsync(progress => store.FindInPlainAsync(person, progress, cancellationToken))
                .ConfigureAwait(false), null);
        }
        catch (PersonalDataException e) when (!e.IsTransient)
        {
            // A damaged key is forgotten all the same.
            return (null, e.Message);
        }
    }

    // What the search found before the key was removed, and the forgetting has not taken out.
    private static IReadOnlyList<string> RemainingOf(PersonalDataSearchReport? found, IReadOnlyList<string> blanked) => found is null ? [] :
    [
        .. found.Hits.Where(hit => !blanked.Contains(hit.Path))
            .Select(static hit => hit.Member is null ? hit.Path : $"{hit.Path}: {hit.Member}").Distinct(),
        .. OmittedOf(found.Total - found.Hits.Count),
        .. found.NotSearched.Select(static each => $"{each.Path}: it could not be searched. {each.Problem}"),
    ];

    private static IEnumerable<string> OmittedOf(long places) =>
        places == 0 ? [] : [$"{Text.Count(places, "further place")} {(places == 1 ? "is" : "are")} not listed"];

    private void WriteTraces(ForgetReport report)
    {
        if (report.NotSearched is { } reason)
            Terminal.Out.WriteLine(Text.Visible(reason));
        if (report.Blanked.Count > 0)
            Terminal.Out.WriteLine($"The person's values were taken out of {Text.Count(report.Blanked.Count, "file")} of projections and reactions.");
        if (report.Remaining.Count > 0)
            Terminal.Out.WriteLine($"In plain {(report.IsDryRun ? "there are" : "remain")} {Text.Count(report.Remaining.Count, "place")}:");
        foreach (var place in report.Remaining)
            Terminal.Out.WriteLine($"  {Text.Visible(place)}");
        foreach (var plain in report.PlainEvents)
        {
            Terminal.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"  event {plain.Position} {Text.Visible(plain.EventType)} has "
                + $"{Text.Visible(string.Join(", ", plain.Members))} in plain: opossum repair redact STORE {plain.Position} "
                + $"{Text.Visible(string.Join(' ', plain.Members.Select(static member => $"--member {Quoted(member)}")))} --reason TEXT"));
        }
    }

    // Shells read brackets, braces and quotes themselves.
    private static string Quoted(string member) => member.All(static each => char.IsAsciiLetterOrDigit(each) || each is '.' or '-' or '_') ? member
        : $"'{member.Replace("'", @"'\''", StringComparison.Ordinal)}'";

    private void WriteDryRun(ForgetReport report)
    {
        Terminal.Out.WriteLine(report.Before switch
        {
            PersonKeyState.Forgotten => AlreadyForgotten(report),
            PersonKeyState.Forgetting => $"Would finish forgetting {report.Subject}, which was interrupted.",
            PersonKeyState.None => $"{report.Subject} has no key: nothing is encrypted for this person. Would keep one from being made, and append "
                + "the event that says so.",
            _ => $"Would remove the key of {report.Subject} for good, and append the event that says so.",
        });
        WriteTraces(report);
    }

    private void WriteResult(ForgetReport report)
    {
        var told = $"event {(report.Position is { } position ? Text.Of(position) : "")} says so. No event file was changed.";
        Terminal.Out.WriteLine(report switch
        {
            { Position: null } => AlreadyForgotten(report),
            { Before: PersonKeyState.Forgetting } => $"Finished forgetting {report.Subject}, which was interrupted: the key is removed, and {told}",
            { Before: PersonKeyState.None } => $"{report.Subject} had no key: nothing was encrypted for this person. None will be made, and {told}",
            _ => $"{report.Subject} is forgotten: the key is removed, and {told}",
        });
        WriteTraces(report);
    }

    private static string AlreadyForgotten(ForgetReport report) => string.Create(CultureInfo.InvariantCulture,
        $"{report.Subject} was already forgotten on {report.Forgotten:yyyy-MM-dd}. Nothing was changed.");
}
