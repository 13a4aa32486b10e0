using System.CommandLine;
using System.Globalization;
using Opossum.Cli.Terminals;

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
        Description = "The file of the master key: only with --pseudonym. Forgetting needs no key otherwise",
        HelpName = "file",
    };
    private readonly Option<bool> pseudonym = new("--pseudonym")
    {
        Description = "The store has the tag as a pseudonym: the subject is written as the app knows it, as email:ann@example.org",
    };
    private readonly KeysOption keys = new();

    public ForgetCommand(Terminal terminal)
        : base(terminal, "forget", "Forget a person: remove the person's key for good, and append an event that says so",
            """opossum forget sales customer:c7 --reason "request of 2026-11-20" --dry-run""",
            """opossum forget sales customer:c7 --reason "request of 2026-11-20" --yes""")
    {
        Add(subject);
        Add(reason);
        Add(pseudonym);
        Add(masterKey);
        keys.AddTo(this);
        Validators.Add(result =>
        {
            if (result.GetValue(pseudonym) != result.GetValue(masterKey) is not null)
                result.AddError("--pseudonym and --master-key belong together: the master key makes the pseudonym, and nothing else here needs it.");
        });
    }

    public override string WhenCancelled => "Cancelled. If the person's key was removed already, run the command again: it finishes the rest.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        StorePath.ThrowIfNoStore(StoreOf(arguments));
        var given = Tag.Parse(arguments.GetRequiredValue(subject));
        var key = arguments.GetValue(masterKey) is { } file ? MasterKeyFile.Read(file) : null;
        var options = new PersonalDataOptions { MasterKey = key, KeysFolder = keys.Of(arguments) };
        var before = await PersonalKeys.FindAsync(StoreOf(arguments), key is null ? given : Tag.Pseudonym(given.Key, given.Value), options.KeysFolder,
            key, cancellationToken).ConfigureAwait(false);
        var person = before.Subject;
        if (before.KeysProblem is { } problem)
            throw new CliException(ExitCode.Failed, $"{problem} Nothing was changed.");
        if (!before.StoreHasKeys && before.State == PersonKeyState.None)
        {
            throw new CliException(ExitCode.Failed, $"{before.KeysFolder} has no keys: no personal data was encrypted with keys from there. If the "
                + "app keeps its keys elsewhere (PersonalData.KeysFolder), pass --keys FOLDER. Nothing was changed.");
        }
        if (IsDryRun(arguments))
        {
            Write(arguments, new ForgetReport($"{person}", before.State, before.Forgotten, Position: null, IsDryRun: true),
                static json => json.ForgetReport, WriteDryRun);
            return ExitCode.Ok;
        }
        if (before.State is PersonKeyState.Key or PersonKeyState.Damaged)
            Confirm(arguments, $"Remove the key of {person} for good? What was encrypted with it can never be read again.");
        await using var store = await StorePath.OpenForWritingAsync(StoreOf(arguments), Terminal, cancellationToken, options).ConfigureAwait(false);
        var result = await store.ForgetAsync(person, arguments.GetRequiredValue(reason), cancellationToken).ConfigureAwait(false);
        Write(arguments, new ForgetReport($"{person}", before.State, result.Forgotten, result.Position, IsDryRun: false),
            static json => json.ForgetReport, WriteResult);
        return ExitCode.Ok;
    }

    private void WriteDryRun(ForgetReport report) => Terminal.Out.WriteLine(report.Before switch
    {
        PersonKeyState.Forgotten => AlreadyForgotten(report),
        PersonKeyState.Forgetting => $"Would finish forgetting {report.Subject}, which was interrupted.",
        PersonKeyState.None => $"{report.Subject} has no key: nothing is encrypted for this person. Would keep one from being made, and append the "
            + "event that says so.",
        _ => $"Would remove the key of {report.Subject} for good, and append the event that says so.",
    });

    private void WriteResult(ForgetReport report)
    {
        var told = string.Create(CultureInfo.InvariantCulture, $"event {report.Position} says so. No event file was changed.");
        Terminal.Out.WriteLine(report switch
        {
            { Position: null } => AlreadyForgotten(report),
            { Before: PersonKeyState.Forgetting } => $"Finished forgetting {report.Subject}, which was interrupted: the key is removed, and {told}",
            { Before: PersonKeyState.None } => $"{report.Subject} had no key: nothing was encrypted for this person. None will be made, and {told}",
            _ => $"{report.Subject} is forgotten: the key is removed, and {told}",
        });
    }

    private static string AlreadyForgotten(ForgetReport report) => string.Create(CultureInfo.InvariantCulture,
        $"{report.Subject} was already forgotten on {report.Forgotten:yyyy-MM-dd}. Nothing was changed.");
}
