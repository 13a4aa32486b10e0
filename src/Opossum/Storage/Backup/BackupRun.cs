using System.Globalization;
using Opossum.Diagnostics;
using Opossum.Maintenance;
using Opossum.Reactions.Files;
using Opossum.Storage.Definitions;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Backup;

/// <summary>One run of a backup.</summary>
/// <param name="cancellationToken">Stops the run between two steps.</param>
/// <param name="duty">The duty under which the folder is written, besides its lock; null: there is none.</param>
internal sealed class BackupRun(BackupSource source, BackupTarget target, IProgress<StoreProgress>? progress, CancellationToken cancellationToken,
    StoreDuty? duty = null)
{
    private readonly KeyCopies keys = new(target.Folder.FileSystem, source.Layout, target.Folder.Layout, cancellationToken);

    public BackupReport Run(BackupOptions options)
    {
        var listed = target.Folder.HasEvents ? target.EventFiles.Listing.After(0) : [];
        var end = FindEnd(listed);
        ThrowIfOtherHistory(end);
        var head = Math.Max(source.Head, end);
        if (!options.DryRun)
            Begin(end, head);
        var wanted = FindWanted(listed, end, options.VerifyAll);
        var mended = wanted.Count;
        for (var position = end + 1; position <= head; position++)
            wanted.Add(position);
        if (options is { DryRun: true, IncludeKeys: true })
            keys.LookForOtherKeys();
        // Order matters: in between, a copy would have values without their keys. A key is older than its value.
        var keysWritten = options.DryRun ? (long?)null : keys.Copy(onlyMarks: !options.IncludeKeys, replaces: true);
        var bytes = options.DryRun ? source.Measure(wanted, Proceed) : Copy(wanted);
        if (options is { VerifyAll: true, DryRun: false })
        {
            // They may have what was redacted in the store since.
            target.EventFiles.Listing.DeleteLeftovers(target.Held);
            target.TakeRevision(source.StoreFile);
        }
        return new BackupReport
        {
            Target = target.Folder.Root,
            StoreId = source.StoreFile.Id,
            Head = head,
            NotDurable = source.NotDurableAfter(head),
            IsLockDenied = source.IsLockDenied,
            Copied = wanted.Count - mended,
            Mended = mended,
            Bytes = bytes,
            IsDryRun = options.DryRun,
            SourceProblem = source.FindProblem(),
            HasKeys = keys.HasKeys,
            KeysCopied = options.IncludeKeys ? keysWritten : null,
        };
    }

    /// <inheritdoc cref="KeyCopies.ThrowIfProblem"/>
    public void ThrowIfKeyProblem() => keys.ThrowIfProblem();

    /// <summary>
    /// Makes the copies that are there whole, for a folder that follows the store: what is missing, and what has
    /// changed, is copied again.
    /// </summary>
    /// <param name="verifiesAll">Whether every copy is compared.</param>
    /// <param name="mended">The number of copies made again.</param>
    /// <returns>The last position up to which all copies are there; an append ends there.</returns>
    /// <exception cref="StoreMaintenanceException">The folder has another history.</exception>
    public long Mend(bool verifiesAll, out int mended)
    {
        var listed = target.EventFiles.Listing.After(0);
        var end = FindEnd(listed);
        ThrowIfOtherHistory(end);
        Begin(end, Math.Max(source.Head, end));
        if (verifiesAll)
            UnsealAfter(end, listed);
        var wanted = FindWanted(listed, end, verifiesAll);
        Copy(wanted);
        mended = wanted.Count;
        return end;
    }

    // An interrupted run may have left a sealed copy that ends inside an append. What the store changed since is not compared there: event files
    // are copied again.
    private void UnsealAfter(long end, List<long> listed)
    {
        var unsealing = new FolderUnsealing(target.Folder, target.EventFiles, target.ThrowIfLost);
        foreach (var shard in listed.Where(position => position > end).Select(target.Folder.Layout.ShardOf).Distinct())
            unsealing.Run(shard, _ => Proceed(), takesBad: true);
    }

    private List<long> FindWanted(List<long> listed, long end, bool verifiesAll)
    {
        var wanted = FindMissing(listed, end);
        if (verifiesAll)
            wanted.AddRange(FindOutdated(listed, end));
        wanted.Sort();
        return wanted;
    }

    private void Begin(long end, long head)
    {
        target.TakeTerm(source.StoreFile);
        // Order matters: both before any event, or a store restored from an interrupted backup would not say that it
        // needs keys, and would begin its reactions as if they were new.
        keys.CopyNote();
        CopyMark.WriteAll(target.Folder.FileSystem, source.Layout.Reactions, target.Folder.Layout.Reactions, head);
        TagRuleFiles.Settle(target.Folder.FileSystem, target.Folder.Layout, source.Rules);
        SchemaFiles.Copy(target.Folder.FileSystem, source.Layout, target.Folder.Layout);
        new EventFileCopies(source.EventFiles, target.Folder).Settle(end);
    }

    // The last position at which an append ends whose copies are whole: an interrupted run may have left the first copies of the next one.
    private long FindEnd(List<long> listed)
    {
        for (var at = listed.Count - 1; at >= 0; at--)
        {
            if (target.EventFiles.Read(listed[at], out _) is { } stored && stored.Position == stored.Commit.Last && IsWhole(stored))
                return stored.Position;
        }
        return 0;
    }

    private bool IsWhole(StoredEvent last)
    {
        for (var position = last.Commit.First; position < last.Position; position++)
        {
            if (target.EventFiles.Read(position, out _) is not { } stored || !stored.IsOfSameAppend(last))
                return false;
        }
        return true;
    }

    /// <summary>Refuses a folder that has another history than the store.</summary>
    /// <exception cref="StoreMaintenanceException">The folder has another history.</exception>
    public void ThrowIfOtherHistory() => ThrowIfOtherHistory(FindEnd(target.Folder.HasEvents ? target.EventFiles.Listing.After(0) : []));

    /// <summary>
    /// Refuses a folder with events up to a position that the store does not have. The last event that both have
    /// decides: its id and time are of one
    /// append to one history, and so is everything before it.
    /// </summary>
    public void ThrowIfOtherHistory(long end)
    {
        var common = Math.Min(end, source.Head);
        if (common > 0)
            ThrowIfOther(source.Read(common), target.EventFiles.Read(common, out _));
        if (end > source.Head && !HasAll(source.Head, end))
        {
            throw Refused(string.Create(CultureInfo.InvariantCulture,
                $"the backup has events up to position {end}, but the store in {source.Root} has them up to {source.Head}. The store was cut off or "
                    + $"restored, or lies on a share whose view is late"));
        }
    }

    // A power cut may have taken the ends of the index, which follow the events later: the event files then have what the backup has.
    private bool HasAll(long after, long end)
    {
        for (var position = after + 1; position <= end; position++)
        {
            if (source.EventFiles.Read(position, out _) is not { } ours)
                return false;
            ThrowIfOther(ours, target.EventFiles.Read(position, out _));
        }
        return true;
    }

    private void ThrowIfOther(StoredEvent ours, StoredEvent? theirs)
    {
        if (theirs is null || ours.IsOfSameOrigin(theirs))
            return;
        throw Refused(string.Create(CultureInfo.InvariantCulture,
            $"position {ours.Position} has the event {theirs.Content.Id} in the backup and {ours.Content.Id} in the store in {source.Root}: after a "
                + $"restore or a cut, both have been given other events"));
    }

    private StoreMaintenanceException Refused(string why) => new(target.Folder.Root,
        $"Nothing was copied to {target.Folder.Root}: {why}. Keep this backup as it is, and back up to another folder.");

    private static List<long> FindMissing(List<long> listed, long end)
    {
        var missing = new List<long>();
        var expected = 1L;
        foreach (var position in listed)
        {
            for (; expected < position && expected <= end; expected++)
                missing.Add(expected);
            expected = position + 1;
        }
        return missing;
    }

    // Copies that are bad, or whose event was edited in the store since by a repair that accepted it.
    private List<long> FindOutdated(List<long> listed, long end)
    {
        var old = listed.FindAll(position => position <= end);
        var outdated = new List<long>();
        for (var done = 0; done < old.Count;)
        {
            Proceed();
            foreach (var reading in target.EventFiles.Batches.Read(old, done, target.EventFiles.ReadOrProblem))
            {
                var ours = source.Read(old[done]);
                ThrowIfOther(ours, reading.Stored);
                if (reading.Stored?.Checksum != ours.Checksum)
                    outdated.Add(old[done]);
                done++;
            }
            progress.Report(StoreOperation.Check, done, old.Count);
        }
        return outdated;
    }

    private long Copy(List<long> wanted)
    {
        var bytes = 0L;
        var copies = new EventFileCopies(source.EventFiles, target.Folder);
        var done = 0L;
        var unsealing = new FolderUnsealing(target.Folder, target.EventFiles, target.ThrowIfLost);
        foreach (var ofShard in wanted.GroupBy(target.Folder.Layout.ShardOf))
        {
            List<long> positions = [.. ofShard];
            // A copy is made again as an event file: in a backup whose folder was sealed, the sealed file would count.
            unsealing.Run(ofShard.Key, _ => Proceed(), takesBad: true);
            bytes += copies.Copy(positions, copied => Proceed(done + copied, wanted.Count));
            done += positions.Count;
        }
        progress.Report(StoreOperation.Backup, done, wanted.Count);
        return bytes;
    }

    private void Proceed(long done, long total)
    {
        Proceed();
        progress.Report(StoreOperation.Backup, done, total);
    }

    private void Proceed()
    {
        cancellationToken.ThrowIfCancellationRequested();
        duty?.ThrowIfLost();
        target.ThrowIfLost();
    }
}
