using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Failures;
using Opossum.Storage.Repair;

namespace Opossum.Maintenance;

/// <summary>Remedies for what <see cref="StoreCheck"/> finds; each finding names its own.</summary>
/// <remarks>
/// <para>First end all processes that use the store. A repair takes the store's lock and fails if the lock is not free within 10 seconds.</para>
/// <para>
/// A repair deletes no event: it moves what it replaces or cuts off into a folder in Quarantine. A repair can be interrupted at any moment, by
/// the end of the process or a power cut: the same call, made again, completes it. If there is nothing to do, it changes nothing and reports that.
/// </para>
/// <para>
/// Every repair throws a <see cref="StoreMaintenanceException"/> when it is refused or fails, a <see cref="StoreOpenException"/> when the folder is not a
/// store, and a <see cref="StoreLockTimeoutException"/> when the lock is not free. docs/repair.md explains which repair to use when.
/// </para>
/// </remarks>
public static class StoreRepair
{
    /// <summary>Rebuilds both index files from the event files. Changes nothing if a committed event file is missing or bad.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="progress">Receives the progress of the repair and of the index.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    /// <exception cref="StoreDamagedException">A committed event file is missing or bad. The index is kept: it may hold the only copy.</exception>
    public static Task<RepairReport> RebuildIndexAsync(string path, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        RunAsync(path, progress, static store => store.RebuildIndex(), cancellationToken);

    /// <summary>
    /// Restores missing or bad event files from their lines beside the index, byte for byte; their checksums prove it. Undoes edits made by
    /// hand.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="progress">Receives the progress of the repair, and of the index if it has events to add.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<RepairReport> RestoreFromIndexAsync(string path, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        RunAsync(path, progress, static store => new IndexRestoration(store).Run(), cancellationToken);

    /// <summary>
    /// Restores missing or bad event files from a folder in Quarantine or in a backup. It restores whole appends only, each directly after an
    /// append that the store has. It changes nothing if the store has another event at one of their positions.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="folder">The folder that holds the files, such as <c>shop/Quarantine/20261121T124944.285Z</c> or
    /// <c>backup/Events/0000000000</c>; for sealed files <c>copy/Events</c>. It is only read.</param>
    /// <param name="progress">Receives the progress of the repair, and of the index, which adds the events after its end.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<RepairReport> RestoreFromFolderAsync(string path, string folder, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        return RunAsync(path, progress, store => RestoreFromFolder(store, Path.GetFullPath(folder)), cancellationToken);
    }

    /// <summary>
    /// Makes an event file that was edited by hand valid: restores its form, writes its checksum and rebuilds the index. Type, tags, data and
    /// metadata may have been edited; position, id and commit may not.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="progress">Receives the progress of the repair and of the index.</param>
    /// <param name="cancellationToken">Keeps the repair from beginning.</param>
    public static Task<RepairReport> AcceptEditedFileAsync(string path, long position, IProgress<StoreProgress>? progress = null,
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
    public static Task<RepairReport> TruncateAsync(string path, long after, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(after, StoreLayout.PositionMax);
        return RunAsync(path, progress, store => new Truncation(store, after).Run(), cancellationToken);
    }

    /// <summary>
    /// Replaces members of the data of events by null, and records who did it and why in the metadata of each. Position, type, version, tags,
    /// timestamp, id and commit stay. It reaches the event files, the index, copies in Quarantine, and asks for every projection to be built again.
    /// </summary>
    /// <remarks>
    /// An unfinished redaction is finished first. docs/repair.md says what still has the old text afterwards, such as backups and exports. A
    /// proof of the history stays valid: a redacted event keeps its leaf, a hash of its text before, and verification reports it as redacted. A
    /// guess of what was removed can be confirmed by that hash.
    /// </remarks>
    /// <param name="path">The store's folder.</param>
    /// <param name="positions">The positions of the events. An event that has none of the members stays as it is.</param>
    /// <param name="members">
    /// The paths of the members: <c>email</c>, <c>address.street</c>, <c>contacts[].phone</c> for each element of an array, <c>notes{}</c> for each
    /// member of an object, <c>["a.b"]</c> for a name with a dot, a bracket or a brace.
    /// </param>
    /// <param name="reason">The reason, for the record, at most 1,000 characters. It can be read by everybody who can read the events.</param>
    /// <param name="progress">Receives the progress of the redaction, and of the index, which is rebuilt.</param>
    /// <param name="cancellationToken">Keeps the redaction from beginning.</param>
    /// <exception cref="ArgumentException">There is no position, no member or no reason, or one of them is not allowed.</exception>
    /// <exception cref="StoreMaintenanceException">A position has no event, a path is in none of the events, or the redaction was interrupted.</exception>
    /// <exception cref="StoreDamagedException">A committed event file is missing or bad. Nothing was changed.</exception>
    public static Task<RedactionReport> RedactAsync(string path, IEnumerable<long> positions, IEnumerable<string> members, string reason,
        IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        var order = new RedactionOrder(positions, members, reason);
        return RunAsync(path, progress, store => new Redaction(store, TimeProvider.System).Run(order), cancellationToken);
    }

    /// <summary>Finishes a redaction that was interrupted; see <see cref="FindingKind.UnfinishedRedaction"/>.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="progress">Receives the progress of the redaction, and of the index, which is rebuilt.</param>
    /// <param name="cancellationToken">Keeps the call from beginning.</param>
    /// <returns>The report; null when no redaction is unfinished.</returns>
    /// <exception cref="StoreMaintenanceException">The redaction was interrupted again, or its file is damaged.</exception>
    /// <exception cref="StoreDamagedException">A committed event file is missing or bad.</exception>
    public static Task<RedactionReport?> FinishRedactionAsync(string path, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        RunAsync(path, progress, static store => new Redaction(store, TimeProvider.System).Finish(), cancellationToken);

    internal static RepairReport RestoreFromFolder(StoreUnderRepair store, string folder)
    {
        using var restoration = new FolderRestoration(store, folder);
        return restoration.Run();
    }

    internal static T Run<T>(IFileSystem fileSystem, StoreLayout layout, TimeProvider clock, IProgress<StoreProgress>? progress,
        Func<StoreUnderRepair, T> repair)
    {
        var root = layout.Root;
        var store = MaintenanceFailure.Guard(root, $"The store in {root} cannot be repaired", "Nothing was changed.",
            () => StoreUnderRepair.Open(fileSystem, layout, clock, CarefulProgress.Of(progress, NullLogger.Instance)),
            isTransient: false);
        const string Next = "Run it again: it continues where it stopped.";
        return MaintenanceFailure.Guard(root, $"The repair of {root} was interrupted", Next, () =>
        {
            using (store)
            {
                var result = repair(store);
                TrySealAgain(store);
                return result;
            }
        }, isTransient: false);
    }

    private static void TrySealAgain(StoreUnderRepair store)
    {
        try
        {
            store.SealAgain();
        }
        catch (Exception e) when (e is FileSystemException or DiskStateUnknownException or LockLostException)
        {
            // The repair is complete, and its result is nowhere else. The next sealing takes the folder.
        }
    }

    private static Task<T> RunAsync<T>(string path, IProgress<StoreProgress>? progress, Func<StoreUnderRepair, T> repair,
        CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        return Task.Run(() => RealFileSystem.Use(fileSystem =>
            Run(fileSystem, Path.GetFullPath(path), TimeProvider.System, progress, repair)), cancellationToken);
    }
}
