using System.Globalization;
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
/// <param name="isDryRun">Whether nothing is written, and the report says what would be.</param>
internal sealed class Promotion(IFileSystem fileSystem, StoreLayout layout, TimeProvider clock, bool isDryRun = false)
{
    // More only where folders follow each other in a circle.
    private const int FormersMax = 20;

    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    private readonly StoreFolder folder = StoreFolder.OpenExisting(fileSystem, layout, forReading: isDryRun, takesEvents: true);

    /// <summary>How long the former store is waited for: a share whose server is gone may answer no call at all.</summary>
    public TimeSpan FormerTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <exception cref="StoreOpenException">The folder is not a store.</exception>
    /// <exception cref="StoreMaintenanceException">It is no replica, or what it follows knows of a later term.</exception>
    /// <exception cref="StoreLockTimeoutException">Another process writes to it.</exception>
    public PromotionReport Run()
    {
        // Without the lock, like the marks: a former store that does not answer keeps nobody from the folder.
        var isAnswering = InTime(ThrowIfLaterTerm, late: false, FormerTimeout);
        var (promoted, replica, head) = isDryRun ? Look() : Promote();
        var (last, closedAt) = InTime(() => MarkFormers(promoted, replica), late: (replica, null), isAnswering ? FormerTimeout : TimeSpan.Zero);
        var report = new PromotionReport
        {
            Replica = layout.Root,
            FormerStore = last.Source,
            StoreId = promoted.Id,
            Term = promoted.Term,
            Head = head,
            FormerHead = closedAt ?? Math.Max(last.SourceHead, head),
            At = last.At,
            FormerIsClosed = closedAt is not null,
            KeysProblem = new KeyCopies(fileSystem, layout, layout, CancellationToken.None).FindProblem()
                ?? KeysOfCopy.FindProblem(folder, layout.Keys, head, CancellationToken.None),
            IsDryRun = isDryRun,
        };
        // Last, or a promotion that failed on its way could not be run again.
        if (!isDryRun)
            TryDelete();
        return report;
    }

    /// <summary>Marks a store in whose place a replica was promoted, durably and under its lock: nothing is appended to it from now on.</summary>
    /// <param name="problem">Why it has no mark; null: it has this one, or another of the same or a later term.</param>
    /// <returns>Whether it says that the folder of this mark was promoted.</returns>
    public static bool TryMark(StoreFolder former, ReplicaFile mark, TimeProvider clock, out string? problem)
    {
        problem = null;
        try
        {
            using var storeLock = new StoreLock(former, clock);
            using var held = storeLock.Acquire(lockTimeout);
            if (former.FindReplica() is { } marked && marked.Term >= mark.Term)
                return marked.Source == mark.Source;
            mark.Write(former.FileSystem, former.Layout);
            return true;
        }
        catch (Exception e) when (e is FileSystemException or StoreLockTimeoutException)
        {
            problem = e.Message;
            return false;
        }
    }

    // Invariant: the folder is a replica until store.json has a higher term than replica.json, and by then its
    // reactions are marked. So a damaged replica.json is written again first, the term is raised last, and it is
    // durable before Run removes replica.json, or a power cut could leave a second store in the former term.
    private (StoreFile Promoted, ReplicaFile Replica, long Head) Promote()
    {
        using var storeLock = new StoreLock(folder, clock);
        storeLock.Verify();
        using var held = storeLock.Acquire(lockTimeout);
        var (storeFile, replica, isDamaged) = Read();
        if (isDamaged)
            replica.Write(fileSystem, layout);
        Settle(held);
        var head = FindHead();
        // Otherwise a promotion ended after the folder had become the store, and what is left of it is done.
        var promoted = folder.FindReplica() is null ? storeFile : Raise(storeFile, replica, head);
        DurableFile.TryFlush(fileSystem, layout.StoreFile);
        return (promoted, replica, head);
    }

    private (StoreFile Promoted, ReplicaFile Replica, long Head) Look()
    {
        var (storeFile, replica, _) = Read();
        return (folder.FindReplica() is null ? storeFile : storeFile with { Term = TermAfter(storeFile, replica) }, replica, FindHead());
    }

    private (StoreFile StoreFile, ReplicaFile Replica, bool IsDamaged) Read()
    {
        var storeFile = folder.Read();
        var replica = ReplicaFile.Find(fileSystem, layout, storeFile: null) ?? throw new StoreMaintenanceException(layout.Root,
            $"{layout.Root} is no replica, so there is nothing to promote: a store that follows no other opens as it is. Nothing was changed.");
        storeFile ??= MakeStoreFile(replica);
        // It may have been the mark of a later term.
        return (storeFile, replica.IsDamaged ? new ReplicaFile(ReplicaFile.Elsewhere, storeFile.Term + 1) : replica, replica.IsDamaged);
    }

    private static int TermAfter(StoreFile storeFile, ReplicaFile replica) => Math.Max(storeFile.Term, replica.Term) + 1;

    // The replica has lost it.
    private StoreFile MakeStoreFile(ReplicaFile replica)
    {
        var id = IndexHeader.FindStoreId(fileSystem, layout) ?? Guid.NewGuid();
        folder.UseIdOfIndex(id);
        return new StoreFile(StoreLayout.Format, id, clock.GetUtcNow()) { Term = Math.Max(1, replica.Term) };
    }

    private StoreFile Raise(StoreFile storeFile, ReplicaFile replica, long head)
    {
        CopyMark.WriteAll(fileSystem, layout.Reactions, layout.Reactions, head);
        // A process that still had the folder open may have built states after it became a replica. Those of a former store are its own.
        if (replica.Term <= storeFile.Term || replica.Source == ReplicaFile.Elsewhere)
            FormerStates.RemoveAll(fileSystem, layout.Projections);
        // A redaction may have reached this folder and not others that follow from now on: they compare every event once.
        var promoted = storeFile.WithNewRevision() with { Term = TermAfter(storeFile, replica) };
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

    private static T InTime<T>(Func<T> work, T late, TimeSpan timeout)
    {
        var (result, failure, isOver) = (late, null as ExceptionDispatchInfo, new ManualResetEventSlim());
        BackgroundThread.Start(Run, "Opossum promotion");
        if (!isOver.Wait(timeout))
            return late;
        failure?.Throw();
        return result;

        void Run()
        {
            try
            {
                result = work();
            }
            catch (Exception e)
            {
                failure = ExceptionDispatchInfo.Capture(e);
            }
            isOver.Set();
        }
    }

    // Otherwise two folders would be the store in one term.
    private bool ThrowIfLaterTerm()
    {
        var known = FolderTerm.Read(fileSystem, layout);
        if (known is not { StoreFile: { } storeFile, Replica: { } replica }
            || FindFormers(storeFile.Id, replica, out _).Find(former => former.Newest > known.Newest && former.Store != layout.Root) is not { } later)
        {
            return true;
        }
        var isStore = later.Store == later.Root;
        throw new StoreMaintenanceException(layout.Root, string.Create(CultureInfo.InvariantCulture,
            $"{layout.Root} was not promoted: {later.Root} {(isStore ? "is the store" : $"says that {later.Store} was promoted")} in term "
                + $"{later.Newest}. Follow {later.Store} into {layout.Root} first, or, if it is lost, "
                + $"{(isStore ? "move it away" : $"promote {later.Root} instead")}. Nothing was changed."));
    }

    // Where the store was closed, with its last position.
    private (ReplicaFile Last, long? ClosedAt) MarkFormers(StoreFile promoted, ReplicaFile replica)
    {
        var formers = FindFormers(promoted.Id, replica, out var last);
        long? closedAt = null;
        // Order matters: the store first. Once what follows it is marked, a crash would leave no path to the store.
        foreach (var former in formers.AsEnumerable().Reverse().Where(former => former.StoreFile!.Term < promoted.Term))
        {
            var mark = new ReplicaFile(layout.Root, promoted.Term) { Head = last.SourceHead, SourceHead = last.SourceHead };
            // Another replica may have been promoted in the same term meanwhile.
            var store = new StoreFolder(fileSystem, layout.At(former.Root), forReading: isDryRun);
            if ((isDryRun ? !store.Volume.IsReadOnly : TryMark(store, mark, clock, out _)) && former.Root == last.Source)
                closedAt = Math.Max(HeadOf(store), last.SourceHead);
        }
        return (last, closedAt);
    }

    // 0 also: it cannot be read.
    private static long HeadOf(StoreFolder store)
    {
        try
        {
            store.Read();
            using var index = EventIndex.TryFollow(store);
            using var eventFiles = new EventFiles(store);
            // A power cut may have taken the end of the index, which an opening makes again.
            return Math.Max(index?.Head ?? 0, store.HasEvents ? eventFiles.Listing.Newest() : 0);
        }
        catch (Exception e) when (e is FileSystemException or EventStoreException)
        {
            return 0;
        }
    }

    // What this folder follows, one folder through the other, up to the store. A path may be that of another machine, where something else lies here.
    private List<FolderTerm> FindFormers(Guid id, ReplicaFile replica, out ReplicaFile last)
    {
        List<FolderTerm> formers = [];
        last = replica;
        while (formers.Count < FormersMax && FolderTerm.TryRead(fileSystem, layout.At(last.Source), id) is { } former)
        {
            formers.Add(former);
            if (former.Mark is not null || former.Replica is not { IsDamaged: false } further)
                break;
            last = further;
        }
        return formers;
    }

    // Sealed folders that have a part of an append become event files, which the next opening judges.
    private void Settle(StoreLock.Held held)
    {
        using var eventFiles = new EventFiles(folder);
        var last = LastOf(eventFiles);
        var commit = last > 0 ? eventFiles.Read(last, out _)?.Commit : null;
        var isPart = last > 0 && commit?.Last != last;
        for (var shard = layout.ShardOf(commit?.First ?? last); isPart && shard <= last; shard += layout.ShardPositions)
            new FolderUnsealing(folder, eventFiles, held.ThrowIfLost).Run(shard, static _ => { }, takesBad: true);
    }

    // The last position that readers see.
    private long FindHead()
    {
        using var index = EventIndex.TryFollow(folder);
        using var eventFiles = new EventFiles(folder);
        return index?.Head ?? LastOf(eventFiles);
    }

    private long LastOf(EventFiles eventFiles) => folder.HasEvents ? eventFiles.Listing.Newest() : 0;
}
