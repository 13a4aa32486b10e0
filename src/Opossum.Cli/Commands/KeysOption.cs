using System.CommandLine;

namespace Opossum.Cli.Commands;

/// <summary>The option that names the folder of the persons' keys.</summary>
internal sealed class KeysOption : Option<string?>
{
    public KeysOption()
        : base("--keys")
    {
        Description = "The folder of the persons' keys, if it is not Keys in the store's folder";
        HelpName = "folder";
    }

    /// <summary>The folder; null: the store's own.</summary>
    /// <exception cref="CliException">It does not exist.</exception>
    public string? Of(ParseResult arguments) => arguments.GetValue(this) is not { } folder || Directory.Exists(folder) ? arguments.GetValue(this)
        : throw new CliException(ExitCode.Usage, $"--keys {folder} does not exist. Pass the folder that the app sets as PersonalData.KeysFolder. "
            + "Nothing was changed.");
}
