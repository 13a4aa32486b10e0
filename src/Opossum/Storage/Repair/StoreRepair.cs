using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage;
using Opossum.Storage.Locking;
using Opossum.Storage.Repair;

namespace Opossum;

/// <summary>Remedies for what <see cref="StoreCheck"/> finds; each finding names its own.</summary>
/// <remarks>
/// <para>First end all processes that use the store. A repair takes the store's lock and fails if the lock is not free within 10 seconds.</para>
/// <para>
/// A repair deletes no event: it moves what it replaces or cuts off into a folder in Quarantine. A repair can be interrupted at any moment, by
/// the end of the process or a power cut: the same call, made again, completes it. If there is nothing to do, it changes nothing and reports that.
/// </para>
/// <para>
/// Every repair throws a <see cref="StoreRepairException"/> when it is refused or fails, a <see cref="StoreOpenException"/> when the folder is not a
/// store, and a <see cref="StoreLockTimeoutException"/> when the lock is not free. docs/operations.md explains which repair to use when.
/// </para>
/// </remarks>
public static class StoreRepair
{
    /// <summary>Rebuilds both index files from the event files. Changes nothing if a committed event file is missing or bad.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="progress">Hears how far the repair and the index have come.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    /// <exception cref="StoreDamagedException">A committed event file is missing or bad. The index is kept: it may hold the only copy.</exception>
    public static Task<StoreRepairReport> RebuildIndexAsync(string path, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        RunAsync(path, progress, static store => store.RebuildIndex(), cancellationToken);

    /// <summary>
    /// Restores missing or bad event files from their packed copies in the index, byte for byte; their checksums prove it. Undoes edits made by
    /// hand.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="progress">Receives the progress of the repair, and of the index if it has events to add.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<StoreRepairReport> RestoreFromIndexAsync(string path, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        RunAsync(path, progress, static store => new IndexRestoration(store).Run(), cancellationToken);

    /// <summary>
    /// Restores missing or bad event files from a folder in Quarantine or in a backup. It restores whole appends only, each directly after an
    /// append that the store has. It changes nothing if the store has another event at one of their positions.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="folder">The folder that holds the files, such as <c>shop/Quarantine/20261121T124944.285Z</c> or
    /// <c>backup/Events/0000000000</c>. It is only read.</param>
    /// <param name="progress">Receives the progress of the repair, and of the index, which adds the events after its end.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<StoreRepairReport> RestoreFromFolderAsync(string path, string folder, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        return RunAsync(path, progress, store => new FolderRestoration(store, Path.GetFullPath(folder)).Run(), cancellationToken);
    }

    /// <summary>
    /// Makes an event file that was edited by hand valid: restores its form, writes its checksum and rebuilds the index. Type, tags, data and
    /// metadata may have been edited; position, id and commit may not.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="progress">Hears how far the repair and the index have come.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<StoreRepairReport> AcceptEditedFileAsync(string path, long position, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(position, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(position, StoreLayout.PositionMax);
        return RunAsync(path, progress, store => new EditAcceptance(store, position).Run(), cancellationToken);
    }

    /// <summary>
    /// Cuts off all events after a position and moves their files into Quarantine. The store assigns those positions again, so
    /// inform every system that has recorded one.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="after">The last position to keep; an append must end there. 0 keeps no event. See
    /// <see cref="StoreCheckReport.WholeUpTo"/>.</param>
    /// <param name="progress">Receives the progress of the repair, and of the index, which is rebuilt.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<StoreRepairReport> TruncateAsync(string path, long after, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(after, StoreLayout.PositionMax);
        return RunAsync(path, progress, store => new Truncation(store, after).Run(), cancellationToken);
    }

    internal static StoreRepairReport Run(IFileSystem fileSystem, string root, TimeProvider clock, IProgress<StoreProgress>? progress,
        Func<StoreUnderRepair, StoreRepairReport> repair)
    {
        var hasBegun = false;
        try
        {
            using var store = StoreUnderRepair.Open(fileSystem, root, clock, CarefulProgress.Of(progress, NullLogger.Instance));
            hasBegun = true;
            return repair(store);
        }
        catch (Exception e) when (e is FileSystemException or DiskStateUnknownException or LockLostException)
        {
            var cause = e as FileSystemException ?? (e as DiskStateUnknownException)?.Cause;
            var advice = cause?.Error == FileError.InUse ? $" {FileSystemException.InUseAdvice}" : "";
            throw new StoreRepairException(cause?.Path ?? root, hasBegun
                ? $"The repair of {root} was interrupted: {e.Message}{advice} Run it again: it continues where it stopped."
                : $"The store in {root} cannot be repaired: {e.Message}{advice} Nothing was changed.", e);
        }
    }

    private static Task<StoreRepairReport> RunAsync(string path, IProgress<StoreProgress>? progress, Func<StoreUnderRepair, StoreRepairReport> repair,
        CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        return Task.Run(
            () =>
            {
                using var fileSystem = RealFileSystem.Create();
                return Run(fileSystem, Path.GetFullPath(path), TimeProvider.System, progress, repair);
            },
            cancellationToken);
    }
}
