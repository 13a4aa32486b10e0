namespace Opossum.Maintenance;

/// <summary>The options of an import.</summary>
public sealed record ImportOptions
{
    /// <summary>Whether the store is created if the folder is missing or empty. Default: false: that is an error.</summary>
    public bool CreateIfMissing { get; init; }

    /// <summary>Whether every line is checked and nothing is stored or created. Default: false.</summary>
    public bool DryRun { get; init; }

    /// <summary>
    /// Whether members are stored in plain that are personal data, as other events of the type show, in which they are encrypted. Default: false:
    /// such a line is refused. An import does not know the app's classes and encrypts nothing.
    /// </summary>
    public bool AllowPlain { get; init; }

    /// <summary>
    /// The folder of keys, as in <see cref="PersonalDataOptions.KeysFolder"/>: the report says whose keys are not there. Null, the default: the folder
    /// <c>Keys</c> in the store's folder.
    /// </summary>
    public string? KeysFolder { get; init; }
}
