using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Failures;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Sealing;

/// <summary>
/// One run that seals or unseals folders of a store, while other processes use it. It has the duty to do so, which no other process has at the same
/// time. It does not take the store's lock.
/// </summary>
internal sealed class SealingRun(StoreFolder folder, StoreDuty duty, EventIndex? index, TimeProvider clock, Action<long, long> report,
    CancellationToken cancellationToken) : IDisposable
{
    private static readonly TimeSpan lockTimeout = TimeSpan.FromSeconds(10);

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly StoreLock storeLock = new(folder, clock);
    private readonly Quarantine quarantine = new(folder, clock);
    private readonly EventFiles eventFiles = new(folder);

    /// <summary>Begins a run.</summary>
    /// <param name="folder">The store's folder, whose store.json was read.</param>
    /// <param name="report">Receives how many events were processed, and of how many.</param>
    /// <param name="cancellationToken">Ends the run between two steps.</param>
    /// <param name="waits">Whether to wait when another process does this at the time.</param>
    /// <returns>The run; null when another process does this.</returns>
    /// <exception cref="StoreLockTimeoutException">Another process does this.</exception>
    public static SealingRun? Begin(StoreFolder folder, TimeProvider clock, Action<long, long> report, CancellationToken cancellationToken,
        bool waits = true)
    {
        var duty = waits ? StoreDuty.Take(folder, Duty.Sealing, lockTimeout) : StoreDuty.TryTake(folder, Duty.Sealing);
        if (duty is null)
            return null;
        EventIndex? index = null;
        SealingRun? run = null;
        try
        {
            index = EventIndex.TryFollow(folder);
            run = new SealingRun(folder, duty, index, clock, report, cancellationToken);
            run.eventFiles.Listing.DeleteSealingLeftovers();
            return run;
        }
        catch
        {
            if (run is null)
            {
                index?.Dispose();
                duty.Dispose();
            }
            run?.Dispose();
            throw;
        }
    }

    /// <summary>Whether all events of the folders that <see cref="Seal"/> was to seal had their files, durably.</summary>
    public bool LeavesNone { get; private set; }

    /// <summary>Seals all folders but the newest ones, and finishes what an interrupted run has begun.</summary>
    /// <param name="keepNewest">The number of newest folders that stay, at least 1.</param>
    public SealingReport Seal(int keepNewest)
    {
        var sealing = new FolderSealing(folder, eventFiles, duty.ThrowIfLost);
        // The newest event is read before the folders are listed, so it is in one of them.
        var (head, last) = FindEnds();
        var newest = layout.ShardOf(head);
        var newestToSeal = newest - (long)keepNewest * layout.ShardPositions;
        var shards = Shards();
        var due = shards.FindAll(shard => IsSealed(shard) || (shard <= newestToSeal && layout.LastOf(shard) <= last && sealing.IsFull(shard)));
        LeavesNone = layout.LastOf(newestToSeal) <= last && shards.TrueForAll(shard => shard > newestToSeal || due.Contains(shard));
        return AndEnd(() => SealEach(sealing, due));
    }

    // While the event files of one folder are removed, those of the next one are read.
    private SealingReport SealEach(FolderSealing sealing, List<long> due)
    {
        var progress = new SealingProgress(due.Count, layout.ShardPositions, report, cancellationToken);
        var wereSealed = due.ConvertAll(IsSealed);
        var lengths = new long?[due.Count];
        for (var at = 0; at <= due.Count; at++)
        {
            var next = at;
            // The removal begins first, and so is done also where the next folder cannot be sealed.
            fileSystem.ForEach(2, half =>
            {
                if (half == 0)
                    Remove(next - 1);
                else
                    Write(next);
            });
        }
        progress.Done(due.Count, 0);
        var sealedNow = due.Where((_, at) => lengths[at] is not null).ToList();
        return Report(sealedNow.Count, sealedNow.Sum(layout.CountOf), lengths.Sum() ?? 0) with
        {
            FinishedFolders = wereSealed.Count(static each => each),
        };

        void Remove(int at)
        {
            if (at >= 0 && (wereSealed[at] || lengths[at] is not null))
                sealing.RemoveEventFiles(due[at], areSealed: !wereSealed[at], removed => progress.Removed(at, removed), storeLock.ThrowIfMoved);
        }

        void Write(int at)
        {
            if (at < due.Count && !wereSealed[at])
                lengths[at] = sealing.Write(due[at], read => progress.Written(at, read));
        }
    }

    /// <summary>Seals and unseals folders of a replica, so that the same are sealed as in the store.</summary>
    /// <param name="shards">The folders that are sealed there, as far as all their events are here.</param>
    public void SealAs(IReadOnlySet<long> shards)
    {
        var sealing = new FolderSealing(folder, eventFiles, duty.ThrowIfLost);
        AndEnd(() =>
        {
            // A bad line keeps nothing from following: as a bad event file it is found, and copied again once it is moved away.
            UnsealEach(new FolderUnsealing(folder, eventFiles, duty.ThrowIfLost), SealedShards().FindAll(shard => !shards.Contains(shard)),
                takesBad: true);
            return SealEach(sealing, Shards().FindAll(shard => shards.Contains(shard) && (IsSealed(shard) || sealing.IsFull(shard))));
        });
    }

    public SealingReport Unseal(long first, long last)
    {
        var unsealing = new FolderUnsealing(folder, eventFiles, duty.ThrowIfLost, quarantine);
        var due = SealedShards().FindAll(shard => layout.LastOf(shard) >= first && StoreLayout.FirstOf(shard) <= last);
        return AndEnd(() => UnsealEach(unsealing, due));
    }

    private SealingReport UnsealEach(FolderUnsealing unsealing, List<long> due, bool takesBad = false)
    {
        var progress = new SealingProgress(due.Count, layout.ShardPositions, report, cancellationToken);
        var (folders, events, bytes) = (0L, 0L, 0L);
        for (var done = 0; done < due.Count; done++)
        {
            var folder = done;
            if (unsealing.Run(due[done], made => progress.Done(folder, made), takesBad) is { } made)
                (folders, events, bytes) = (folders + 1, events + made.Events, bytes + made.Bytes);
        }
        progress.Done(due.Count, 0);
        return Report(folders, events, bytes);
    }

    public void Dispose()
    {
        eventFiles.Dispose();
        index?.Dispose();
        storeLock.Dispose();
        duty.Dispose();
    }

    // The folders of event files, ascending, also those with a sealed file beside them.
    private List<long> Shards() => List(name => layout.TryParseShard(name, out var shard) ? shard : null);

    private List<long> SealedShards() => List(name => layout.TryParseSealedFileName(name, out var shard) ? shard : null);

    private List<long> List(Func<string, long?> shardOf)
    {
        var shards = fileSystem.List(layout.Events).Select(shardOf).OfType<long>().ToList();
        shards.Sort();
        return shards;
    }

    private bool IsSealed(long shard) => fileSystem.GetKind(layout.SealedFile(shard)) == EntryKind.File;

    // The last position, and the last one that is durable in its event file. The index names durable events, unless the lock file says otherwise. A
    // backup has no index; there the newest event says so.
    private (long Head, long Durable) FindEnds()
    {
        if (index is { Head: > 0 } used)
        {
            // Order matters: read before the head, the note would count events as durable that were appended since.
            var head = used.Head;
            return (head, FindWritten(head));
        }
        if (Shards() is not [.., var newest])
            return (0, 0);
        var positions = eventFiles.Listing.After(newest - 1);
        return positions is [.., var last] ? (last, Math.Min(eventFiles.ProvenDurable(positions), FindWritten(last))) : (0, 0);
    }

    // The last position up to which every event has its file, durably.
    private long FindWritten(long head)
    {
        var note = StoreLock.ReadFiles(fileSystem, layout.LockFile);
        var last = note is { IsUnknown: true } ? eventFiles.Ahead.After() ?? head : FilesNote.FilesUpTo(note, head);
        // After the note: a process that writes event files without the lock may have begun by an older one.
        StoreDuty.TakeFilesIfUsed(folder, lockTimeout)?.Dispose();
        return last;
    }

    private SealingReport Report(long folders, long events, long bytes) => new()
    {
        Folders = folders,
        Events = events,
        Bytes = bytes,
        SealedFolders = SealedShards().Count,
    };

    // Also after a failure: the folders that were finished count. The first failure is the one that is reported.
    private SealingReport AndEnd(Func<SealingReport> work)
    {
        SealingReport report;
        try
        {
            report = work();
        }
        catch
        {
            TryEnd();
            throw;
        }
        End();
        return report;
    }

    private void TryEnd()
    {
        try
        {
            End();
        }
        catch (Exception e) when (e is EventStoreException or FileSystemException or DiskStateUnknownException or LockLostException)
        {
            // The next run does it.
        }
    }

    private void End()
    {
        folder.MakeDurable(() => fileSystem.FlushFolder(layout.Events));
        if (index is null)
            return;
        // The sealed files have the lines now.
        var shards = SealedShards();
        duty.ThrowIfLost();
        shards.ForEach(shard => fileSystem.Delete(layout.Segment(shard)));
    }
}
