namespace Opossum.Storage;

/// <summary>The options that the storage uses.</summary>
/// <param name="Create">Whether a folder that is not a store yet becomes one.</param>
/// <param name="Flush">Whether an append returns only after its events are on disk.</param>
/// <param name="UseJournal">Whether an append returns when the lines of its events are flushed, and their event files follow.</param>
/// <param name="LockTimeout">How long to wait for the lock.</param>
/// <param name="RecoveryPatience">How long recovery waits on a network file system for an incomplete commit to complete.</param>
/// <param name="Runs">How the index of older events is made and read.</param>
/// <param name="ReadOnly">Whether the store is opened without writing anything.</param>
internal sealed record StoreSettings(bool Create, bool Flush, bool UseJournal, TimeSpan LockTimeout, TimeSpan RecoveryPatience,
    TimeProvider TimeProvider, IProgress<StoreProgress>? RebuildProgress, RunSettings Runs, bool ReadOnly = false)
{
    /// <summary>The sizes of the journal.</summary>
    public FilesBehindSettings FilesBehind { get; init; } = new();

    /// <summary>The settings of a store that is opened for one piece of work, such as a backup: flushed, and the defaults of the options.</summary>
    public static StoreSettings ForOneRun(TimeProvider clock)
    {
        var defaults = new OpossumOptions();
        return new StoreSettings(Create: false, Flush: true, UseJournal: false, defaults.LockTimeout, defaults.Advanced.RecoveryPatience,
            clock, RebuildProgress: null, new RunSettings());
    }
}
