using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Failures;
using Opossum.Storage.Sealing;

namespace Opossum.Maintenance;

/// <summary>Seals folders of a store's older events, each into one readable file, and makes their event files again.</summary>
/// <remarks>
/// <para>
/// An event file takes at least a block of the disk, and a million of them is slow to copy and to delete. A sealed folder is one text file,
/// <c>Events/0000010000.jsonl</c>, with a line for each event: the text of its file on one line. It takes about the bytes of the events. Reads,
/// conditions, subscriptions, projections, checks, backups and exports work as before.
/// </para>
/// <para>
/// Other processes may use the store meanwhile. The store's lock is not taken. A run can be interrupted at any moment,
/// by the end of the process or a power cut: no event is lost, and the same call, made again, continues. The event files of a folder are removed only
/// after its sealed file is durable and was read back.
/// </para>
/// <para>
/// There is no second form of sealed events: only a backup can replace one that is damaged. docs/sealing.md says when to seal, and how to search
/// sealed files.
/// </para>
/// </remarks>
public static class StoreSealing
{
    /// <summary>Seals all full folders but the newest ones.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="keepNewestFolders">
    /// The number of newest folders that are not sealed, the one that is being filled included. Default: 2. From 1 to 214,748.
    /// </param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Ends the run between two steps. What is sealed stays sealed.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number of folders to keep is out of its range.</exception>
    /// <exception cref="StoreOpenException">The path is not a store.</exception>
    /// <exception cref="StoreDamagedException">An event file is missing or bad. Its folder was not sealed.</exception>
    /// <exception cref="StoreMaintenanceException">A file operation failed, or an event file beside a sealed one has another event.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process seals or repairs the store.</exception>
    public static Task<SealingReport> SealAsync(string path, int keepNewestFolders = KeepNewestFolders,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentOutOfRangeException.ThrowIfLessThan(keepNewestFolders, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(keepNewestFolders, OpossumOptions.KeptFoldersMax);
        return RunAsync(fileSystem => Seal(fileSystem, Path.GetFullPath(path), keepNewestFolders, TimeProvider.System, progress, cancellationToken),
            cancellationToken);
    }

    /// <summary>Makes the event files of sealed folders again, byte for byte, and removes the sealed files.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="after">The position after which events are unsealed, with the others of their folders. Default: 0, all.</param>
    /// <param name="upTo">The last position that is unsealed, with the others of its folder. Null, the default: all.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Ends the run between two steps. What is unsealed stays unsealed.</param>
    /// <exception cref="ArgumentOutOfRangeException">A position is negative, or the last one is 0.</exception>
    /// <exception cref="StoreOpenException">The path is not a store.</exception>
    /// <exception cref="StoreDamagedException">A line of a sealed file is missing or bad. Its folder was not unsealed.</exception>
    /// <exception cref="StoreMaintenanceException">A file operation failed.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process seals or repairs the store.</exception>
    public static Task<SealingReport> UnsealAsync(string path, long after = 0, long? upTo = null, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        ArgumentOutOfRangeException.ThrowIfLessThan(upTo ?? 1, 1, nameof(upTo));
        return RunAsync(fileSystem => Unseal(fileSystem, Path.GetFullPath(path), after, upTo, TimeProvider.System, progress, cancellationToken),
            cancellationToken);
    }

    /// <summary>How many folders are kept by default.</summary>
    internal const int KeepNewestFolders = 2;

    internal static SealingReport Seal(IFileSystem fileSystem, StoreLayout layout, int keepNewestFolders, TimeProvider clock,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default) =>
        Run(fileSystem, layout, StoreOperation.Seal, clock, progress, run => run.Seal(keepNewestFolders), cancellationToken);

    internal static SealingReport Unseal(IFileSystem fileSystem, StoreLayout layout, long after, long? upTo, TimeProvider clock,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default) =>
        Run(fileSystem, layout, StoreOperation.Unseal, clock, progress,
            run => run.Unseal(Math.Min(after, StoreLayout.PositionMax) + 1, upTo ?? StoreLayout.PositionMax), cancellationToken);

    private static SealingReport Run(IFileSystem fileSystem, StoreLayout layout, StoreOperation work, TimeProvider clock,
        IProgress<StoreProgress>? progress, Func<SealingRun, SealingReport> run, CancellationToken cancellationToken)
    {
        var root = layout.Root;
        var what = $"{(work == StoreOperation.Seal ? "Sealing" : "Unsealing")} {root} was interrupted";
        const string Next = "No event is lost. Run it again: it continues where it stopped.";
        return MaintenanceFailure.Guard(root, what, Next, () =>
        {
            var folder = StoreFolder.OpenExisting(fileSystem, layout);
            if (folder.Volume.LockRefusal is { } refusal)
                throw new StoreOpenException(root, $"Folders of the store in {root} cannot be sealed safely. {refusal}");
            var careful = CarefulProgress.Of(progress, NullLogger.Instance);
            using var sealing = SealingRun.Begin(folder, clock, (done, total) => careful.Report(work, done, total),
                cancellationToken)!;
            return run(sealing);
        });
    }

    private static Task<SealingReport> RunAsync(Func<IFileSystem, SealingReport> run, CancellationToken cancellationToken) =>
        Task.Run(() => RealFileSystem.Use(run), cancellationToken);
}
