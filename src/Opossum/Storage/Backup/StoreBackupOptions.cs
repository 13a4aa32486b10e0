namespace Opossum;

/// <summary>The options of a backup.</summary>
public sealed record StoreBackupOptions
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
}
