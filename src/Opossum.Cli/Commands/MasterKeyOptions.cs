using System.CommandLine;

namespace Opossum.Cli.Commands;

/// <summary>The options that name the keys of personal data: the master key's file, and the folder of the persons' keys.</summary>
internal sealed class MasterKeyOptions
{
    private readonly Option<string?> masterKey = new("--master-key")
    {
        Description = "The file of the master key: shows personal data decrypted instead of as it is stored",
        HelpName = "file",
    };
    private readonly KeysOption keys = new();

    public IReadOnlyList<Option> All => [masterKey, keys];

    public bool IsGiven(ParseResult arguments) => arguments.GetValue(masterKey) is not null;

    public PersonalDataOptions Of(ParseResult arguments) => new()
    {
        MasterKey = arguments.GetValue(masterKey) is { } file ? MasterKeyFile.Read(file) : null,
        KeysFolder = keys.Of(arguments),
    };
}
