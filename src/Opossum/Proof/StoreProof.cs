using System.Globalization;
using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Proof;
using Opossum.Storage;
using Opossum.Storage.Failures;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;
using Opossum.Storage.Opening;

namespace Opossum.Maintenance;

/// <summary>Proves that a store's history was not changed: by a Merkle tree over its events, and checkpoints of it that are kept elsewhere.</summary>
/// <remarks>
/// The tree lies in the store's folder <c>Proof</c> and is derived from the events: it can be deleted and built again. A checkpoint proves something
/// only where those who could change the store cannot change it. docs/proof.md explains what is proven and what is not.
/// </remarks>
public static class StoreProof
{
    /// <summary>
    /// Builds the tree over all events that the store's index has, or brings it up to date. Other processes can use the store meanwhile.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Cancels the call; a later one continues.</param>
    /// <returns>The number of events that the tree covers, including those whose tile is not whole yet.</returns>
    /// <exception cref="StoreOpenException">The folder is not a store, or cannot be read or written.</exception>
    /// <exception cref="StoreDamagedException">An event cannot be read.</exception>
    /// <exception cref="StoreLockTimeoutException">Events were appended without flushing, and the lock to flush them was not free in time.</exception>
    public static Task<long> BuildAsync(string path, IProgress<StoreProgress>? progress = null, CancellationToken cancellationToken = default) =>
        RunAsync(path, (fileSystem, root) => Build(fileSystem, root, progress, cancellationToken), cancellationToken);

    /// <summary>Writes a checkpoint of all events to the store and to the witnesses. One of the same events and key stays as it is.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="key">The key that signs it.</param>
    /// <param name="witnesses">The folders that receive a copy: another share, a stick, a mailbox. They must exist.</param>
    /// <param name="clock">The clock for its time. Null, the default: the system clock.</param>
    /// <param name="cancellationToken">Cancels the call before it writes.</param>
    /// <exception cref="StoreMaintenanceException">The history does not continue the last checkpoint; nothing was written.</exception>
    /// <exception cref="StoreOpenException">The folder is not a store, or cannot be read or written, or its index lacks events.</exception>
    /// <exception cref="StoreDamagedException">An event cannot be read.</exception>
    /// <exception cref="StoreLockTimeoutException">Events were appended without flushing, and the lock to flush them was not free in time.</exception>
    public static Task<ProofCheckpointResult> WriteCheckpointAsync(string path, ProofKey key, IEnumerable<string>? witnesses = null,
        TimeProvider? clock = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        string[] folders = [.. (witnesses ?? []).Select(Path.GetFullPath)];
        return RunAsync(path, (fileSystem, root) => WriteCheckpoint(fileSystem, root, key, folders, clock ?? TimeProvider.System, cancellationToken),
            cancellationToken);
    }

    /// <summary>
    /// Proves that an event belongs to the history that the store's last checkpoint covers. Changes nothing, so it works where the store can only be
    /// read. What the tiles lack is computed from the events; <see cref="BuildAsync"/> makes the tiles, and this call fast.
    /// </summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="position">The event's position.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <returns>The proof: a text of at most 2 KiB, which names the checkpoint. The event's file is not part of it.</returns>
    /// <exception cref="StoreMaintenanceException">There is no checkpoint, it does not cover the event, or the history was changed since.</exception>
    /// <exception cref="StoreOpenException">The folder is not a store, or cannot be read, or its index lacks events.</exception>
    public static Task<string> ProveAsync(string path, long position, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(position, 1);
        return RunAsync(path, (fileSystem, root) => Prove(fileSystem, root, position, cancellationToken), cancellationToken);
    }

    /// <summary>Verifies the proof of an event. Neither the store nor the network is needed.</summary>
    /// <param name="proof">The proof.</param>
    /// <param name="eventFile">The bytes of the event's file. Its layout does not matter.</param>
    /// <param name="verifier">The verifier of the key that signed the checkpoint.</param>
    /// <returns>The checkpoint that covers the event.</returns>
    /// <exception cref="FormatException">The proof does not hold, or the event was redacted; the message says why.</exception>
    public static ProofCheckpoint VerifyProof(string proof, ReadOnlySpan<byte> eventFile, ProofVerifier verifier)
    {
        ArgumentNullException.ThrowIfNull(proof);
        ArgumentNullException.ThrowIfNull(verifier);
        var parsed = EventProof.Parse(proof);
        var checkpoint = ProofCheckpoint.Parse(parsed.Checkpoint, verifier);
        var stored = EventFile.Read(eventFile, parsed.Position, out var problem, takesUnknown: true)
            ?? throw new FormatException($"the event file {problem}");
        if (LeafSource.KeptBy(stored, out _) is not null)
        {
            throw new FormatException("the event was redacted: the proof is that of its text before, and does not cover what its file says now. "
                + "A copy of the file from before the redaction can be verified");
        }
        if (!MerkleTree.IsIncluded(LeafSource.Of(eventFile), parsed.Position - 1, checkpoint.Position, parsed.Hashes, checkpoint.Root))
            throw new FormatException("the event is not the one that the checkpoint covers: the event, the proof or both were changed");
        return checkpoint;
    }

    /// <summary>Compares every event file with checkpoints, and finds the first event that differs. Changes nothing.</summary>
    /// <param name="path">The store's folder.</param>
    /// <param name="checkpoints">Checkpoints of the store, one or more. Older ones narrow a difference down if the tiles were rewritten too.</param>
    /// <param name="progress">Receives the progress. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">There is no checkpoint.</exception>
    /// <exception cref="StoreMaintenanceException">A checkpoint is that of another store.</exception>
    /// <exception cref="StoreOpenException">The folder is not a store, or cannot be read.</exception>
    public static Task<ProofReport> VerifyAsync(string path, IEnumerable<ProofCheckpoint> checkpoints, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(checkpoints);
        ProofCheckpoint[] all = [.. checkpoints.OrderByDescending(static each => each.Position)];
        if (all.Length == 0)
            throw new ArgumentException("There is no checkpoint to verify against.", nameof(checkpoints));
        return RunAsync(path, (fileSystem, root) => Verify(fileSystem, root, all, progress, cancellationToken), cancellationToken);
    }

    internal static long Build(IFileSystem fileSystem, StoreLayout layout, IProgress<StoreProgress>? progress, CancellationToken cancellationToken) =>
        WithTree(fileSystem, layout, static _ => 0, static (_, tree, _, _) => tree.Size, progress, cancellationToken);

    internal static ProofCheckpointResult WriteCheckpoint(IFileSystem fileSystem, StoreLayout layout, ProofKey key, string[] witnesses,
        TimeProvider clock, CancellationToken cancellationToken) =>
        WithTree(fileSystem, layout, folder => KnownCheckpoints.Read(folder, witnesses),
            (folder, tree, files, known) => new CheckpointWriter(folder, tree, files, clock).Write(key, known), null, cancellationToken);

    internal static ProofReport Verify(IFileSystem fileSystem, StoreLayout layout, ProofCheckpoint[] checkpoints, IProgress<StoreProgress>? progress,
        CancellationToken cancellationToken)
    {
        var folder = OpenFolder(fileSystem, layout);
        if (Array.Find(checkpoints, each => each.StoreId != (folder.Id ?? each.StoreId)) is { } foreign)
        {
            throw new StoreMaintenanceException(layout.Root,
                $"The checkpoint is that of the store {foreign.StoreId:D}, and {layout.Root} holds the store {folder.Id:D}.");
        }
        var careful = CarefulProgress.Of(progress, NullLogger.Instance);
        var trusted = TrustedLeaves.Open(new TileFiles(fileSystem, folder.Layout), checkpoints[0]);
        using var verification = new HistoryVerification(folder, checkpoints, trusted);
        return verification.Run(
            done => careful.Report(StoreOperation.ProofVerification, done, checkpoints[0].Position), cancellationToken);
    }

    internal static string Prove(IFileSystem fileSystem, StoreLayout layout, long position, CancellationToken cancellationToken) =>
        WithTree(fileSystem, layout, folder => CheckpointWriter.ReadLast(fileSystem, folder.Layout.ProofCheckpoint), (folder, tree, _, known) =>
        {
            var checkpoint = known ?? throw new StoreMaintenanceException(folder.Layout.ProofCheckpoint,
                    "The store has no checkpoint yet, and a proof refers to one: write one first (\"opossum proof checkpoint\").")
            { Position = position };
            if (position > checkpoint.Position)
            {
                throw new StoreMaintenanceException(folder.Layout.ProofCheckpoint, string.Create(CultureInfo.InvariantCulture,
                    $"The last checkpoint covers {checkpoint.Position} events, and not the event at position {position}; write another one."))
                {
                    Position = position,
                };
            }
            CheckpointWriter.ThrowIfIndexLacks(checkpoint, folder, tree);
            if (checkpoint.Position > tree.Size || tree.Tree.Root(checkpoint.Position) != checkpoint.Root)
            {
                throw new StoreMaintenanceException(folder.Layout.ProofCheckpoint,
                    $"The history was changed since the last checkpoint, so no event can be proven. {nameof(VerifyAsync)} (opossum verify) names the "
                        + "first one.");
            }
            return new EventProof(position, tree.Tree.ProveInclusion(position - 1, checkpoint.Position), checkpoint.Text).ToString();
        }, null, cancellationToken, isExtended: false);

    private static T WithTree<TKnown, T>(IFileSystem fileSystem, StoreLayout layout, Func<StoreFolder, TKnown> look,
        Func<StoreFolder, EventTree, TileFiles, TKnown, T> use, IProgress<StoreProgress>? progress, CancellationToken cancellationToken,
        bool isExtended = true)
    {
        var folder = OpenFolder(fileSystem, layout);
        using var index = EventIndex.TryFollow(folder) ?? throw NoIndex(folder);
        var careful = CarefulProgress.Of(progress, NullLogger.Instance);
        using var eventFiles = new EventFiles(folder);
        var files = new TileFiles(fileSystem, folder.Layout);
        var known = look(folder);
        var view = index.TakeView(pastCache: true);
        var tree = new EventTree(fileSystem, files, new LeafSource(eventFiles), view, cancellationToken);
        try
        {
            tree.Load();
            if (isExtended)
            {
                MakeDurable(folder, index, eventFiles, view.Contents.Head);
                tree.Extend(view, done => careful.Report(StoreOperation.ProofBuild, done, view.Contents.Head),
                    cancellationToken);
            }
            return use(folder, tree, files, known);
        }
        catch (FileSystemException e)
        {
            throw Unreadable(layout.Root, e);
        }
    }

    // What a process appended without flushing, whether it has ended or not.
    private static void MakeDurable(StoreFolder folder, EventIndex index, EventFiles eventFiles, long head)
    {
        if (!(StoreLock.ReadDurable(folder.FileSystem, folder.Layout.LockFile) < head))
            return;
        var settings = StoreSettings.ForOneRun(TimeProvider.System);
        using var storeLock = new StoreLock(folder, settings.TimeProvider);
        using var held = storeLock.Acquire(settings.LockTimeout);
        if (index.CatchUp(underLock: true) == IndexState.Gone)
            throw NoIndex(folder);
        try
        {
            new FilesBehind(folder, index, eventFiles, settings).Settle(held);
        }
        catch (DiskStateUnknownException e)
        {
            throw Unreadable(folder.Root, e.Cause);
        }
    }

    private static StoreOpenException NoIndex(StoreFolder folder) => new(folder.Layout.Index,
        $"The store in {folder.Root} has no index that could be used. Open the store, which builds it, and try again.");

    private static StoreOpenException Unreadable(string root, FileSystemException e) =>
        new(e.Path, $"The proof of the store in {root} cannot be read or written. {e.Message}", e);

    private static StoreFolder OpenFolder(IFileSystem fileSystem, StoreLayout layout) =>
        StoreFolder.OpenExisting(fileSystem, layout, takesEvents: true);

    private static Task<T> RunAsync<T>(string path, Func<IFileSystem, string, T> work, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        var root = Path.GetFullPath(path);
        return Task.Run(() => RealFileSystem.Use(fileSystem =>
        {
            try
            {
                return work(fileSystem, root);
            }
            catch (FileSystemException e)
            {
                throw Unreadable(root, e);
            }
        }), cancellationToken);
    }
}
