using System.CommandLine;
using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Lets a store whose keys are lost for good make new ones.</summary>
internal sealed class KeysReplaceCommand : ChangeCommand
{
    private readonly Option<string> lost = new("--lost")
    {
        Description = "The id of the lost store key, as \"opossum check\" and the app's errors name it",
        HelpName = "id",
        Required = true,
    };
    private readonly Option<string> masterKey = new("--master-key")
    {
        Description = "The file of the master key that encrypts the new key",
        HelpName = "file",
        Required = true,
    };
    private readonly KeysOption keys = new();

    public KeysReplaceCommand(Terminal terminal)
        : base(terminal, "replace", "Make a new store key where the keys are lost for good: what they encrypted is never read again",
            "opossum keys replace sales --lost 9f86d081884c7d65 --master-key sales.masterkey --dry-run",
            "opossum keys replace sales --lost 9f86d081884c7d65 --master-key sales.masterkey --yes")
        => Add(lost, masterKey, keys);

    public override string WhenCancelled => "Cancelled. The command, run again, says whether there is a new key.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = await StoreToChangeAsync(arguments, cancellationToken).ConfigureAwait(false);
        var (id, key, folder) = (arguments.GetRequiredValue(lost), MasterKeyFile.Read(arguments.GetRequiredValue(masterKey)), keys.Of(arguments));
        // Of any person: it says what is known of the store's key.
        var found = await PersonalKeys.FindAsync(path, new Tag("any", "one"), folder, cancellationToken: cancellationToken)
            .ConfigureAwait(false);
        if (found is { StoreHasKeys: true, KeysProblem: null })
            throw new CliException(ExitCode.Failed, $"The keys of {path} are in {found.KeysFolder}. Nothing was changed.");
        var problem = found.KeysProblem ?? await FindUnnotedAsync(arguments, folder, cancellationToken).ConfigureAwait(false)
            ?? $"No key of {path} is missing: no personal data was encrypted in it yet.";
        // The problem names the only id that may be given up, as the option's value.
        if (!problem.Contains($"{nameof(PersonalDataOptions.LostStoreKey)} = \"{id}\"", StringComparison.Ordinal))
            throw new CliException(ExitCode.Failed, $"The store key {id} cannot be given up. {problem} Nothing was changed.");
        if (IsDryRun(arguments))
        {
            if (KeyOfPersonIn(found.KeysFolder) is { } left)
            {
                throw new CliException(ExitCode.Failed, $"The store key {id} cannot be given up: {left} is the key of a person, which it alone "
                    + $"decrypts. Move {found.KeysFolder} away first. Nothing was changed.");
            }
            return Write(arguments, new KeysReport(path, id, StoreKey: null, IsDryRun: true),
                report => Terminal.Out.WriteLine($"Would make a new store key in place of {report.Lost}. What that one encrypted stays unreadable."));
        }
        Confirm(arguments, $"Give up the store key {id} of {path} for good? If the keys come back later, they are not used any more.");
        var options = new PersonalDataOptions { MasterKey = key, KeysFolder = folder, LostStoreKey = id };
        await using var store = await OpenForWritingAsync(arguments, cancellationToken, options).ConfigureAwait(false);
        var made = await store.MakeStoreKeyAsync(cancellationToken).ConfigureAwait(false);
        return WriteDone(arguments, new KeysReport(path, id, made, IsDryRun: false),
            report => Terminal.Out.WriteLine($"{report.StoreKey} is the store key now, in place of {report.Lost}. Back the folder of keys up, apart "
                + "from the store."));
    }

    // What only the events tell, where the store has no note of its key.
    private async Task<string?> FindUnnotedAsync(ParseResult arguments, string? folder, CancellationToken cancellationToken)
    {
        var report = await WithProgressAsync(progress => StoreCheck.RunAsync(StoreOf(arguments), folder, progress, cancellationToken))
            .ConfigureAwait(false);
        return report.KeysProblem ?? report.Findings.FirstOrDefault(static finding => finding.Kind == FindingKind.MissingKeys)?.Message;
    }

    private static string? KeyOfPersonIn(string folder) => !Directory.Exists(folder) ? null
        : Directory.EnumerateFiles(folder, "*.json").FirstOrDefault(static file => Path.GetFileName(file) != "store-key.json"
            && StorePath.Find(Path.GetDirectoryName(file)!, Path.GetFileName(file), static json => json.TryGetProperty("key", out _)) == true);
}
