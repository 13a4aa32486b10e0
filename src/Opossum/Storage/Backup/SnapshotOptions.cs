namespace Opossum.Maintenance;

/// <summary>
/// The options of a snapshot, with the rules by which older snapshots are kept. A snapshot is kept that any rule
/// keeps; without a rule, all are.
/// </summary>
/// <remarks>
/// The rules are those of restic: of each day, week or month that has snapshots, the newest one is kept, for the
/// given number of such days, weeks or months. As long as there are fewer, the oldest snapshot is kept too.
/// Days are those of UTC, weeks begin on Monday.
/// </remarks>
public sealed record SnapshotOptions
{
    /// <summary>How many of the newest snapshots are kept, at least 1. Null, the default: no such rule.</summary>
    public int? KeepLast { get; init; }

    /// <summary>For how many days the newest snapshot is kept, at least 1. Null, the default: no such rule.</summary>
    public int? KeepDaily { get; init; }

    /// <summary>For how many weeks the newest snapshot is kept, at least 1. Null, the default: no such rule.</summary>
    public int? KeepWeekly { get; init; }

    /// <summary>For how many months the newest snapshot is kept, at least 1. Null, the default: no such rule.</summary>
    public int? KeepMonthly { get; init; }

    /// <summary>
    /// Whether the run only finds out what it would copy, remove and refuse; it writes, creates and locks nothing.
    /// Default: false.
    /// </summary>
    public bool DryRun { get; init; }

    /// <summary>
    /// Whether the snapshot also has the keys of personal data, from the folder <c>Keys</c> of the store; a folder of
    /// keys elsewhere is never copied. Default: false. A person who is forgotten later keeps the key in this snapshot
    /// until it is removed.
    /// </summary>
    public bool IncludeKeys { get; init; }

    internal void Validate()
    {
        foreach (var keep in (ReadOnlySpan<int?>)[KeepLast, KeepDaily, KeepWeekly, KeepMonthly])
            ArgumentOutOfRangeException.ThrowIfLessThan(keep ?? 1, 1, "options");
    }
}
