using System.Runtime.ExceptionServices;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Projections.States;
using Opossum.Reactions.Files;
using Opossum.Storage.Backup;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Replicas;

/// <summary>Makes a replica the store.</summary>
internal sealed class Promotion(IFileSystem fileSystem, StoreLayout layout, TimeProvider clock)
{
    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    private readonly StoreFolder folder = StoreFolder.OpenExisting(fileSystem, layout, takesEvents: true);

    /// <summary>How long the former store is waited for: a share whose server is gone may answer no call at all.</summary>
    public TimeSpan FormerTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <exception cref="StoreOpenException">The folder is not a store.</exception>
    /// <exception cref="StoreMaintenanceException">It is no replica.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process writes to it.</exception>
    public PromotionReport Run()
    {
        var (promoted, replica, head) = Promote();
        // Without the lock: the folder is the store, and can be opened while the former one does not answer, or every event is read.
        var isMarked = TryMarkFormer(promoted, replica);
        TryDelete();
        return new PromotionReport
        {
            Replica = layout.Root,
            FormerStore = replica.Source,
            StoreId = promoted.Id,
            Term = promoted.Term,
            Head = head,
            FormerHead = replica.SourceHead,
            At = replica.At,
            FormerIsClosed = isMarked,
            KeysProblem = new KeyCopies(fileSystem, layout, layout, CancellationToken.None).FindProblem()
                ?? KeysOfCopy.FindProblem(folder, layout.Keys, head, CancellationToken.None),
        };
    }

    /// <summary>Marks a store in whose place a replica was promoted, durably and under its lock: nothing is appended to it from now on.</summary>
    /// <returns>Why it could not be marked; null: it is.</returns>
    public static string? TryMark(StoreFolder former, ReplicaFile mark, TimeProvider clock)
    {
        try
        {
            using var storeLock = new StoreLock(former, clock);
            using var held = storeLock.Acquire(lockTimeout);
            if (former.FindReplica() is not { } marked || marked.Term < mark.Term)
                mark.Write(former.FileSystem, former.Layout);
            return null;
        }
        catch (Exception e) when (e is FileSystemException or StoreLockTimeoutException)
        {
            return e.Message;
        }
    }

    private (StoreFile Promoted, ReplicaFile Replica, long Head) Promote()
    {
        using var storeLock = new StoreLock(folder, clock);
        storeLock.Verify();
        using var held = storeLock.Acquire(lockTimeout);
        var storeFile = folder.Read();
        var replica = ReplicaFile.Find(fileSystem, layout, storeFile: null) ?? throw new StoreMaintenanceException(layout.Root,
            $"{layout.Root} is no replica, so there is nothing to promote: a store that follows no other opens as it is. Nothing was changed.");
        storeFile ??= MakeStoreFile(replica);
        // Order matters: before the term, or the file would still count afterwards.
        if (replica.IsDamaged)
            (replica = new ReplicaFile(ReplicaFile.Elsewhere, storeFile.Term)).Write(fileSystem, layout);
        var head = Settle(held);
        // Otherwise a promotion ended after the folder had become the store, and what is left of it is done.
        var promoted = folder.FindReplica() is null ? storeFile : Raise(storeFile, replica, head);
        // Order matters: the term is durable before replica.json goes, or after a power cut the folder would be a second store in the former term.
        DurableFile.TryFlush(fileSystem, layout.StoreFile);
        return (promoted, replica, head);
    }

    // The replica has lost it.
    private StoreFile MakeStoreFile(ReplicaFile replica)
    {
        var id = IndexHeader.FindStoreId(fileSystem, layout) ?? Guid.NewGuid();
        folder.UseIdOfIndex(id);
        return new StoreFile(StoreLayout.Format, id, clock.GetUtcNow()) { Term = Math.Max(1, replica.Term) };
    }

    private StoreFile Raise(StoreFile storeFile, ReplicaFile replica, long head)
    {
        CopyMark.WriteAll(fileSystem, layout.Reactions, layout.Root, layout.Reactions, head);
        // A process that still had the folder open may have built states after it became a replica. Those of a former store are its own.
        if (replica.Term <= storeFile.Term)
            FormerStates.RemoveAll(fileSystem, layout.Projections);
        // A redaction may have reached this folder and not others that follow from now on: they compare every event once.
        var promoted = storeFile.WithNewRevision() with { Term = Math.Max(storeFile.Term, replica.Term) + 1 };
        // Order matters: the folder counts as the store from here on, because replica.json has a lower term.
        promoted.Replace(fileSystem, layout);
        return promoted;
    }

    private void TryDelete()
    {
        try
        {
            using var storeLock = new StoreLock(folder, clock);
            using var held = storeLock.Acquire(lockTimeout);
            // Otherwise the folder follows another one by now.
            if (folder.FindReplica() is null)
                ReplicaFile.Delete(fileSystem, layout);
        }
        catch (Exception e) when (e is FileSystemException or StoreLockTimeoutException)
        {
            // The folder is the store: the file has a lower term and does not count.
        }
    }

    private bool TryMarkFormer(StoreFile promoted, ReplicaFile replica)
    {
        var (isMarked, failure, isOver) = (false, null as ExceptionDispatchInfo, new ManualResetEventSlim());
        BackgroundThread.Start(Mark, "Opossum promotion");
        if (!isOver.Wait(FormerTimeout))
            return false;
        failure?.Throw();
        return isMarked;

        void Mark()
        {
            try
            {
                isMarked = MarkFormer(promoted, replica);
            }
            catch (Exception e)
            {
                failure = ExceptionDispatchInfo.Capture(e);
            }
            isOver.Set();
        }
    }

    // The path may be that of another machine, where something else lies here.
    private bool MarkFormer(StoreFile promoted, ReplicaFile replica)
    {
        var former = layout.At(replica.Source);
        return StoreReplica.ReadTerm(fileSystem, former) is var (id, term) && id == promoted.Id && term < promoted.Term
            && TryMark(new StoreFolder(fileSystem, former), new ReplicaFile(layout.Root, promoted.Term)
            {
                Head = replica.SourceHead,
                SourceHead = replica.SourceHead,
            }, clock) is null;
    }

    // The last position that readers see. Sealed folders that have a part of an append become event files, which the next opening judges.
    private long Settle(StoreLock.Held held)
    {
        using var eventFiles = new EventFiles(folder);
        var last = folder.HasEvents ? eventFiles.Listing.Newest() : 0;
        var commit = last > 0 ? eventFiles.Read(last, out _)?.Commit : null;
        var isPart = last > 0 && commit?.Last != last;
        for (var shard = layout.ShardOf(commit?.First ?? last); isPart && shard <= last; shard += layout.ShardPositions)
            new FolderUnsealing(folder, eventFiles, held.ThrowIfLost).Run(shard, static _ => { }, takesBad: true);
        using var index = EventIndex.TryFollow(folder);
        return index?.Head ?? last;
    }
}
