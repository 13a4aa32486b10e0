namespace Opossum.Maintenance;

/// <summary>The options of a restore.</summary>
public sealed record RestoreOptions
{
    /// <summary>
    /// The last position to restore, from 0. If it lies inside an append, the restore ends before that append. Null, the default: all events of
    /// the backup.
    /// </summary>
    public long? UpTo { get; init; }

    /// <summary>
    /// The time of the last append to restore: the restore ends before the first append that is later, even if others with earlier times follow, as
    /// after an import; <see cref="BackupReport.EarlierLeftOut"/> counts those. Null, the default: all events of the backup.
    /// </summary>
    public DateTimeOffset? UpToTime { get; init; }

    /// <summary>
    /// Whether the restored store gets an id of its own, so that its backups are kept apart from those of the original. Default: false: it
    /// continues the original under the same id. Set it for a copy that gets appends while the original does too.
    /// </summary>
    public bool NewId { get; init; }

    /// <summary>
    /// Whether the restore only finds out what it would copy, and what it would refuse; it reads the files that it would copy, and writes nothing.
    /// Default: false.
    /// </summary>
    public bool DryRun { get; init; }
}
