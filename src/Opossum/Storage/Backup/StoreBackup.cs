using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Backup;
using Opossum.Storage.Failures;

namespace Opossum.Maintenance;

/// <summary>Copies a store's events into a folder, while other processes append, and restores a store from there.</summary>
/// <remarks>
/// <para>
/// A backup is itself the folder of a store, without index, projections and Quarantine: it can be opened for reading only, checked, and
/// copied. A second run copies only new events. Run each as often as you like, at the same time as appends; the store's lock is not taken.
/// </para>
/// <para>
/// Each copy is flushed and read back before it takes its name. Interrupted at any moment, by the end of the process or a power cut, the
/// target holds the last whole backup, possibly with some further appends, and the same call continues from there.
/// </para>
/// <para>docs/backup.md explains what is verified, what is not copied, and what to do after a restore.</para>
/// </remarks>
public static class StoreBackup
{
    /// <summary>Brings the backup of a store up to date, and creates it if the target is missing or empty.</summary>
    /// <param name="path">The store's folder. It is only read.</param>
    /// <param name="target">The backup's folder: missing, empty, or a backup of the same store. It lies outside the store's folder.</param>
    /// <param name="options">The options. Null, the default: all defaults.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Stops the backup between two steps. What is copied stays, and the next run continues from there.</param>
    /// <exception cref="StoreMaintenanceException">
    /// The target is no backup of this store, or a file operation failed. Or all was copied except keys: the file of a key is damaged, or the target
    /// has keys that another store key decrypts.
    /// </exception>
    /// <exception cref="StoreOpenException">The path is not a store.</exception>
    /// <exception cref="StoreDamagedException">An event file of the store is missing or bad. The backup ends before it.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process writes to the target: a backup, or a program that opened it.</exception>
    public static Task<BackupReport> RunAsync(string path, string target, BackupOptions? options = null,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentException.ThrowIfNullOrWhiteSpace(target);
        return Task.Run(() => RealFileSystem.Use(fileSystem =>
            Run(fileSystem, FullPath(path), FullPath(target), options, TimeProvider.System, progress,
                cancellationToken)), cancellationToken);
    }

    /// <summary>The same for an open store.</summary>
    /// <inheritdoc cref="RunAsync(string, string, BackupOptions?, IProgress{StoreProgress}?, CancellationToken)"/>
    /// <param name="store">The store.</param>
    /// <param name="target">The backup's folder: missing, empty, or a backup of the same store. It lies outside the store's folder.</param>
    /// <param name="options">The options. Null, the default: all defaults.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Stops the backup between two steps. What is copied stays, and the next run continues from there.</param>
    public static async Task<BackupReport> RunAsync(IFileSystemEventStore store, string target, BackupOptions? options = null,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        return await RunAsync(status.Path, target, options, progress, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Restores a store from a backup into a folder that is missing or empty.</summary>
    /// <param name="backup">The backup's folder; the folder of any store will do. It is only read.</param>
    /// <param name="target">The new store's folder. A restore that was interrupted there is made again from its beginning.</param>
    /// <param name="options">The options. Null, the default: all events, under the same id.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Stops the restore between two steps; the target is no store then.</param>
    /// <exception cref="ArgumentOutOfRangeException">The position in the options is negative.</exception>
    /// <exception cref="StoreMaintenanceException">The target is not empty, or a file operation failed.</exception>
    /// <exception cref="StoreOpenException">The backup is not the folder of a store.</exception>
    /// <exception cref="StoreDamagedException">An event file of the backup is missing or bad. No store was made.</exception>
    public static Task<BackupReport> RestoreAsync(string backup, string target, RestoreOptions? options = null,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(backup);
        ArgumentException.ThrowIfNullOrWhiteSpace(target);
        ArgumentOutOfRangeException.ThrowIfNegative(options?.UpTo ?? 0, nameof(options));
        return Task.Run(() => RealFileSystem.Use(fileSystem =>
            Restore(fileSystem, FullPath(backup), FullPath(target), options, TimeProvider.System, progress,
                cancellationToken)), cancellationToken);
    }

    /// <summary>
    /// Makes a snapshot: a whole backup in a folder of its own, named by the time at which the run began. Afterwards, if
    /// rules are set, removes the older snapshots that no rule keeps.
    /// </summary>
    /// <remarks>
    /// Each snapshot is a copy of all events, and can be restored, opened for reading only, checked and copied like
    /// any backup. A run that is interrupted leaves no snapshot, or a whole one; the next run removes what it left.
    /// The snapshot that was just made is never removed.
    /// </remarks>
    /// <param name="path">The store's folder, or that of a replica or a backup. It is only read.</param>
    /// <param name="folder">The folder of the snapshots of this store; it is created if it is missing. It lies outside the store's folder.</param>
    /// <param name="options">The options. Null, the default: all defaults, and nothing is removed.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Stops between two steps.</param>
    /// <returns>The report of the copy, with what was removed; its target is the new snapshot.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A number of snapshots to keep is less than 1.</exception>
    /// <exception cref="StoreMaintenanceException">
    /// The folder is a store or holds snapshots of another one, or a file operation failed. Or the file of a key is damaged: the snapshot was made
    /// without it, and none was removed.
    /// </exception>
    /// <exception cref="StoreOpenException">The path is not a store.</exception>
    /// <exception cref="StoreDamagedException">An event file of the store is missing or bad. No snapshot was made, and none removed.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process makes a snapshot there.</exception>
    public static Task<BackupReport> TakeSnapshotAsync(string path, string folder, SnapshotOptions? options = null,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        options ??= new SnapshotOptions();
        options.Validate();
        return Task.Run(() => RealFileSystem.Use(fileSystem => TakeSnapshot(fileSystem, FullPath(path), FullPath(folder), options,
            TimeProvider.System, progress, cancellationToken)), cancellationToken);
    }

    /// <summary>Lists the snapshots in a folder, oldest first. It is only read.</summary>
    /// <param name="folder">The folder of the snapshots.</param>
    /// <param name="cancellationToken">Keeps it from beginning.</param>
    /// <exception cref="StoreOpenException">There is no such folder, or it is a store itself, or it cannot be read.</exception>
    public static Task<IReadOnlyList<Snapshot>> ListSnapshotsAsync(string folder, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        return Task.Run(() => RealFileSystem.Use(fileSystem =>
            ListSnapshots(fileSystem, FullPath(folder))), cancellationToken);
    }

    internal static BackupReport Run(IFileSystem fileSystem, StoreLayout layout, string target, BackupOptions? options, TimeProvider clock,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        using var source = BackupSource.Open(fileSystem, layout, clock);
        const string Next = "A whole backup that was there before is still one, and the next run continues from it.";
        return MaintenanceFailure.Guard(target, $"{target} was not completed", Next, () =>
        {
            options ??= new BackupOptions();
            using var backup = options.DryRun
                ? BackupTarget.Look(fileSystem, source, target)
                : BackupTarget.Open(fileSystem, source, target, clock, cancellationToken);
            if (backup is null)
            {
                return source.Plan(target, source.Head, (_, _) => cancellationToken.ThrowIfCancellationRequested()) with
                {
                    SourceProblem = source.FindProblem(),
                };
            }
            var run = new BackupRun(source, backup, CarefulProgress.Of(progress, NullLogger.Instance), cancellationToken);
            var report = run.Run(options);
            run.ThrowIfKeyProblem();
            return report;
        });
    }

    internal static BackupReport Restore(IFileSystem fileSystem, StoreLayout backup, string target, RestoreOptions? options,
        TimeProvider clock, IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        using var source = BackupSource.Open(fileSystem, backup, clock);
        const string Next = $"Unless it has a {StoreLayout.StoreFileName}, no store was made there; run the restore again.";
        return MaintenanceFailure.Guard(target, $"{target} was not completed", Next, () =>
            new RestoreRun(fileSystem, source, target, clock, CarefulProgress.Of(progress, NullLogger.Instance), cancellationToken)
                .Run(options ?? new RestoreOptions()));
    }

    internal static BackupReport TakeSnapshot(IFileSystem fileSystem, StoreLayout layout, string folder, SnapshotOptions options,
        TimeProvider clock, IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        using var source = BackupSource.Open(fileSystem, layout, clock);
        return MaintenanceFailure.Guard(folder, "No snapshot was made", "The older ones are all there; run this again.", () =>
            new SnapshotRun(fileSystem, source, folder, clock, CarefulProgress.Of(progress, NullLogger.Instance), cancellationToken).Run(options));
    }

    internal static IReadOnlyList<Snapshot> ListSnapshots(IFileSystem fileSystem, StoreLayout layout)
    {
        try
        {
            return new SnapshotFolder(fileSystem, layout).List();
        }
        catch (FileSystemException e)
        {
            throw new StoreOpenException(e.Path, $"{layout.Root} cannot be read. {e.Message}", e, isTransient: e.Error == FileError.InUse);
        }
    }

    /// <summary>The path without a separator at its end, which a shell's completion adds.</summary>
    internal static string FullPath(string path) => Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
}
