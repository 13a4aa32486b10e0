using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage;
using Opossum.Storage.Locking;
using Opossum.Storage.Repair;

namespace Opossum;

/// <summary>Remedies for what <see cref="StoreCheck"/> finds; each finding names its own.</summary>
/// <remarks>
/// <para>End all processes that use the store first. A repair takes the store's lock and is refused if that is not free within 10 seconds.</para>
/// <para>
/// A repair deletes no event: what it replaces or cuts off goes into a folder in Quarantine. Each may be interrupted at any moment, by the
/// end of the process or of the power: the same call, made again, brings it to its end. Where nothing is to be done it does nothing and says so.
/// </para>
/// <para>
/// Every repair throws a <see cref="StoreRepairException"/> when it is refused or fails, a <see cref="StoreOpenException"/> when the folder is no
/// store, and a <see cref="StoreLockTimeoutException"/> when the lock is not free. When which is right is told in docs/operations.md.
/// </para>
/// </remarks>
public static class StoreRepair
{
    /// <summary>Builds both index files anew from the event files. Nothing is changed if an event file that was committed is missing or bad.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="progress">Hears how far the index has come.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    /// <exception cref="StoreDamagedException">An event file is missing or bad although it was committed. The index may hold the only copy of it, so it stays.</exception>
    public static Task<StoreRepairReport> RebuildIndexAsync(string path, IProgress<IndexRebuildProgress>? progress = null, CancellationToken cancellationToken = default) =>
        RunAsync(path, progress, static store => store.RebuildIndex(), cancellationToken);

    /// <summary>
    /// Makes the event files that are missing or bad again from their packed copies in the index: byte for byte what they were, which their
    /// checksums prove. An edit by hand is undone by it.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="progress">Hears how far the index has come, if it has to take something in.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<StoreRepairReport> RestoreFromIndexAsync(string path, IProgress<IndexRebuildProgress>? progress = null, CancellationToken cancellationToken = default) =>
        RunAsync(path, progress, static store => new IndexRestoration(store).Run(), cancellationToken);

    /// <summary>
    /// Puts event files back that are missing or bad, from a folder that has them: one in Quarantine, or one of a backup. Whole appends only,
    /// each behind one that is there; nothing is changed if the store has given one of their positions to another event.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="folder">The folder that the files lie in, such as <c>shop/Quarantine/20261121T124944.285Z</c> or <c>backup/Events/0000000000</c>. It is only read.</param>
    /// <param name="progress">Hears how far the index has come, which takes in what comes behind its end.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<StoreRepairReport> RestoreFromFolderAsync(string path, string folder, IProgress<IndexRebuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        return RunAsync(path, progress, store => new FolderRestoration(store, Path.GetFullPath(folder)).Run(), cancellationToken);
    }

    /// <summary>
    /// Makes an event file that was edited by hand valid: gives it its form and its checksum, and builds the index anew. Type, tags, data and
    /// metadata may have been edited, but not position, id and commit.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="progress">Hears how far the index has come.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<StoreRepairReport> AcceptEditedFileAsync(string path, long position, IProgress<IndexRebuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(position, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(position, StoreLayout.PositionMax);
        return RunAsync(path, progress, store => new EditAcceptance(store, position).Run(), cancellationToken);
    }

    /// <summary>
    /// Cuts off all events behind a position, and moves their files into Quarantine. Positions behind it will be given again: whoever noted one
    /// elsewhere must be told.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="after">The last position that stays, where an append ends; 0: none stays. See <see cref="StoreCheckReport.WholeUpTo"/>.</param>
    /// <param name="progress">Hears how far the index has come, which is built anew.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<StoreRepairReport> TruncateAsync(string path, long after, IProgress<IndexRebuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(after, StoreLayout.PositionMax);
        return RunAsync(path, progress, store => new Truncation(store, after).Run(), cancellationToken);
    }

    internal static StoreRepairReport Run(IFileSystem fileSystem, string root, TimeProvider clock, IProgress<IndexRebuildProgress>? progress, Func<StoreUnderRepair, StoreRepairReport> repair)
    {
        var hasBegun = false;
        try
        {
            using var store = StoreUnderRepair.Open(fileSystem, root, clock, progress);
            hasBegun = true;
            return repair(store);
        }
        catch (Exception e) when (e is FileSystemException or DiskStateUnknownException or LockLostException)
        {
            var cause = e as FileSystemException ?? (e as DiskStateUnknownException)?.Cause;
            var advice = cause?.Error == FileError.InUse ? $" {FileSystemException.InUseAdvice}" : "";
            throw new StoreRepairException(cause?.Path ?? root, hasBegun
                ? $"The repair of {root} was interrupted: {e.Message}{advice} Run it again: it goes on where it ended."
                : $"The store in {root} cannot be repaired: {e.Message}{advice} Nothing was changed.", e);
        }
    }

    private static Task<StoreRepairReport> RunAsync(string path, IProgress<IndexRebuildProgress>? progress, Func<StoreUnderRepair, StoreRepairReport> repair, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        return Task.Run(
            () =>
            {
                using var fileSystem = RealFileSystem.Create();
                return Run(fileSystem, Path.GetFullPath(path), TimeProvider.System, CarefulProgress<IndexRebuildProgress>.Of(progress, NullLogger.Instance), repair);
            },
            cancellationToken);
    }
}
