namespace Opossum.Maintenance;

/// <summary>The options of a backup.</summary>
public sealed record BackupOptions
{
    /// <summary>
    /// Whether the backup also reads every copy that earlier runs made, and copies again those that are damaged or were edited in the store
    /// since. Default: false: of the earlier copies it verifies only that each has its file, and that the last one is the store's.
    /// </summary>
    public bool VerifyAll { get; init; }

    /// <summary>
    /// Whether the run only finds out what it would copy, and what it would refuse; it reads the files that it would copy, and writes, creates and
    /// locks nothing. Default: false.
    /// </summary>
    public bool DryRun { get; init; }

    /// <summary>
    /// Whether the backup also copies the keys of personal data from the folder <c>Keys</c> of the store; a folder of keys elsewhere is never
    /// copied. Default: false, because such a backup and the master key can read persons who are forgotten later. A person who was
    /// forgotten loses the key in the backup at the next run, whatever is set here.
    /// </summary>
    public bool IncludeKeys { get; init; }
}
