using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Replaces the master key of a store.</summary>
internal sealed class MasterKeyReplaceCommand : ChangeCommand
{
    private readonly Option<string> current = new("--current")
    {
        Description = "The file of the current master key",
        HelpName = "file",
        Required = true,
    };
    private readonly Option<string> next = new("--next") { Description = "The file of the new master key", HelpName = "file", Required = true };
    private readonly KeysOption keys = new();

    public MasterKeyReplaceCommand(Terminal terminal)
        : base(terminal, "replace", "Replace the master key of a store: encrypts one small file again, and no event",
            "opossum master-key replace sales --current old.masterkey --next new.masterkey --dry-run",
            "opossum master-key replace sales --current old.masterkey --next new.masterkey --yes")
        => Add(current, next, keys);

    public override string WhenCancelled => "Cancelled. The master key is the current or the new one; the command, run again, says which.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = ExistingStoreOf(arguments);
        var (old, other) = (MasterKeyFile.Read(arguments.GetRequiredValue(current)), MasterKeyFile.Read(arguments.GetRequiredValue(next)));
        var folder = keys.Of(arguments);
        if (StorePath.FindAround(arguments.GetRequiredValue(next)) is { } store)
        {
            throw new CliException(ExitCode.Usage, $"The new master key lies in the store {store}: a copy of the store would hold the key. Move "
                + "it outside. Nothing was changed.");
        }
        await ThrowIfNotOfStoreAsync(arguments, folder, cancellationToken).ConfigureAwait(false);
        if (IsDryRun(arguments))
        {
            var isNew = await IsNewAsync(path, old, other, folder, cancellationToken).ConfigureAwait(false);
            return Write(arguments, new MasterKeyReport(path, other.Id, isNew, IsDryRun: true), WriteText);
        }
        Confirm(arguments, $"Replace the master key {old.Id} of {path} by {other.Id}? Apps need the new one from their next start.");
        var isChanged = await PersonalKeys.RotateMasterKeyAsync(path, old, other, folder, cancellationToken).ConfigureAwait(false);
        return WriteDone(arguments, new MasterKeyReport(path, other.Id, isChanged, IsDryRun: false), WriteText);
    }

    private async Task ThrowIfNotOfStoreAsync(ParseResult arguments, string? folder, CancellationToken cancellationToken)
    {
        // Of any person: it says what is known of the store's key.
        var found = await PersonalKeys.FindAsync(StoreOf(arguments), new Tag("any", "one"), folder, cancellationToken: cancellationToken)
            .ConfigureAwait(false);
        if (found.KeysProblem is { } problem)
            throw new CliException(ExitCode.Failed, $"{problem} If the app keeps its keys elsewhere, pass --keys FOLDER. Nothing was changed.");
        if (!found.StoreHasKeys)
        {
            throw new CliException(ExitCode.Failed, $"{found.KeysFolder} has no keys: no personal data was encrypted in this store yet. Nothing was "
                + "changed.");
        }
    }

    // A pseudonym is made with the store's key, which only its master key decrypts.
    private static async Task<bool> IsNewAsync(string path, MasterKey old, MasterKey other, string? folder, CancellationToken cancellationToken)
    {
        var any = Tag.Pseudonym("any", "one");
        try
        {
            await PersonalKeys.FindAsync(path, any, folder, other, cancellationToken).ConfigureAwait(false);
            return false;
        }
        catch (PersonalDataException)
        {
            await PersonalKeys.FindAsync(path, any, folder, old, cancellationToken).ConfigureAwait(false);
            return true;
        }
    }

    private void WriteText(MasterKeyReport report) => Terminal.Out.WriteLine(report switch
    {
        { IsChanged: false } => $"{report.Id} is the master key already. Nothing was changed.",
        { IsDryRun: true } => $"Would make {report.Id} the master key. No event changes.",
        _ => $"{report.Id} is the master key now; no event was changed. Give it to the apps, and destroy the old one and the backups of keys that it "
            + "opens.",
    });
}
