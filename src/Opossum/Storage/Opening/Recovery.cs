using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Failures;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Opening;

/// <summary>
/// Brings the index in line with the log and the event files, under the lock: writes the event files of events that have only lines, adds what was
/// committed after the index's end, and sets aside what a crash left incomplete. A rebuild of the whole index is the same from position 1.
/// </summary>
internal sealed class Recovery(StoreFolder folder, EventIndex index, RunBuilder runs, EventFiles eventFiles, FilesBehind files,
    Quarantine quarantine, StoreSettings settings, ILogger logger)
{
    private static readonly TimeSpan cacheLifetime = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan patiencePause = TimeSpan.FromMilliseconds(50);

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly Volume volume = folder.Volume;

    /// <param name="isEmptied">Whether the caller has just emptied the index.</param>
    /// <exception cref="StoreDamagedException">The file of a committed position is missing or bad, or a file was edited. Nothing was
    /// changed.</exception>
    /// <exception cref="LockLostException">The lock was lost before incomplete files could be set aside; they stay where they were.</exception>
    // Invariant: only what a crash can have left is set aside: where a later event, an edit or a sealed folder proves
    // more, the run ends. So lines get their files before a file is judged, whole appends are indexed before the rest
    // is set aside, and the lock is confirmed before either.
    public void Run(StoreLock.Held held, bool isEmptied = false)
    {
        using var duration = Instruments.Measure(Instruments.RecoveryDuration, folder.Root);
        WriteFiles(held);
        SettleIndexEnd(held, pastCache: false, isDeriving: isEmptied);
        var started = settings.TimeProvider.GetTimestamp();
        while (true)
        {
            var later = eventFiles.Listing.AfterOnServer(index.Head, furtherMax: null, held.ThrowIfLost);
            // Order matters: adopted before, the events up to the gap would pass for all, and the loss go unnoticed.
            ThrowIfSealedEndIsMissing(later);
            if (AdoptWhole(later, held) is not { } problem)
                break;
            if (CouldStillComplete(started))
            {
                fileSystem.Pause(patiencePause);
                continue;
            }
            if (volume.LockMayBeLost)
            {
                held.ThrowIfLost();
                if (OthersWentOn(held))
                    continue;
                ThrowIfNotSeenYet(problem.Position);
            }
            SetAside(problem, later, held);
            break;
        }
        index.Settle();
        // On a network file system another machine may have written them, where the lock keeps nobody out.
        if (!volume.LockMayBeLost && index.HasLinesAnywhereAfter)
            index.RemoveMoreLines(held);
    }

    /// <summary>Writes the event files of events that have only lines.</summary>
    /// <exception cref="StoreDamagedException">The log contradicts the event files, or lacks a part. Nothing was removed.</exception>
    public void WriteFiles(StoreLock.Held held)
    {
        if (files.SettleLog(held) is var events and > 0)
            StoreLog.FilesBroughtUp(logger, folder.Root, events);
    }

    /// <summary>Empties an index that cannot be used. The index must then be derived from the event files.</summary>
    /// <exception cref="StoreDamagedException">The file of a committed position is missing or bad, or a file was edited, and the log may have
    /// the only copy. Nothing was changed.</exception>
    public void EmptyIndex(StoreLock.Held held)
    {
        // Order matters: the log, which is deleted next, may have the only copy of an event whose file is damaged.
        if (Segments.List(folder).Count > 0)
            ThrowIfDamaged();
        index.Reset(held, index.FindRules());
    }

    /// <summary>The error for a position whose name stays taken although there is no file to adopt or set aside.</summary>
    public StoreDamagedException NameNeverFree(long position) =>
        new(eventFiles.PathOf(position), position,
            $"Nothing was appended: {eventFiles.PathOf(position)} cannot be created because its name is taken, but no file of that name is "
                + "listed. Look at that folder with the system's own tools, and check the store.");

    private void ThrowIfDamaged()
    {
        var all = eventFiles.Listing.After(0);
        if (all.Count == 0)
            return;
        var reader = new CommitReader(eventFiles, after: 0, all[^1]);
        var last = 0L;
        foreach (var whole in reader.ReadWhole())
            last = whole[^1].Position;
        if (reader.Problem is not { } problem)
            return;
        if (volume.ViewMayBeStale)
            ThrowIfNotSeenYet(problem.Position);
        ThrowIfNotLeftByCrash(problem, all.FindAll(position => position > last));
    }

    // A plain copy of the store may have ended inside a sealed file.
    private void ThrowIfSealedEndIsMissing(List<long> later)
    {
        var end = later.Count > 0 ? later[^1] : index.Head;
        foreach (var shard in ((long[])[end, end + 1]).Select(folder.Layout.ShardOf).Distinct())
        {
            var last = folder.Layout.LastOf(shard);
            if (last <= index.Head || !eventFiles.IsSealed(shard) || eventFiles.Read(last, out _) is not null)
                continue;
            var position = Math.Max(StoreLayout.FirstOf(shard), index.Head + 1);
            string? problem = null;
            while (position <= last && eventFiles.Read(position, out problem) is not null)
                position++;
            if (position <= last)
                ThrowIfNotLeftByCrash(new FileProblem(position, problem!), later);
        }
    }

    private void SettleIndexEnd(StoreLock.Held held, bool pastCache, bool isDeriving)
    {
        var state = index.CatchUp(pastCache, underLock: true, isDeriving);
        if (state == IndexState.UnclearTail && volume.ViewMayBeStale)
            state = index.CatchUp(pastCache: true, underLock: true, isDeriving);
        if (state == IndexState.Gone && volume.CachesIgnoreLocks)
        {
            // The answer may have come from a stale cache.
            fileSystem.Pause(cacheLifetime);
            state = index.CatchUp(pastCache: true, underLock: true, isDeriving);
        }
        if (state == IndexState.Gone)
            EmptyIndex(held);
        else if (state == IndexState.UnclearTail)
            index.CutTail(held);
    }

    // On a network file system the lock may have failed silently, and the incomplete append may belong to a live writer.
    private bool CouldStillComplete(long started) =>
        volume.LockMayBeLost && settings.TimeProvider.GetElapsedTime(started) < settings.RecoveryPatience;

    // Another process that wrongly believed it held the lock may have written its frames meanwhile.
    private bool OthersWentOn(StoreLock.Held held)
    {
        var head = index.Head;
        // isDeriving is true here, or an index that is shorter than what readers see would be emptied each time, in an endless loop.
        SettleIndexEnd(held, pastCache: true, isDeriving: true);
        return index.Head != head;
    }

    private void ThrowIfNotSeenYet(long position)
    {
        var path = eventFiles.PathOf(position);
        if (fileSystem.GetKind(path) == EntryKind.Missing && eventFiles.IsOnServer(position))
            throw new FileSystemException(FileError.Other, "read", path, "the server has it, but this machine does not see it yet.");
    }

    // Adopts each complete, valid commit that follows without a gap. Returns the problem that stopped it; null when nothing is left.
    private FileProblem? AdoptWhole(List<long> later, StoreLock.Held held)
    {
        if (later.Count == 0)
            return null;
        var durable = eventFiles.ProvenDurable(later);
        var reader = new CommitReader(eventFiles, index.Head, later[^1]);
        foreach (var whole in reader.ReadWhole())
            Adopt(whole, later, durable, held);
        return reader.Problem;
    }

    private void Adopt(List<StoredEvent> whole, List<long> later, long durable, StoreLock.Held held)
    {
        var first = Math.Max(whole[0].Position, durable + 1);
        var last = whole[^1].Position;
        if (first <= last)
        {
            // A failed flush may have left them marked clean, and the next flush would skip them.
            eventFiles.Mending.WriteAgain(first, last, held);
            eventFiles.Flush(first, last);
        }
        Debug.Assert(whole[0].Position == index.Head + 1, "An adopted append follows the index.");
        index.Prepare(whole, held);
        // Order matters: else readers could see events that another process, which has the lock by now, has set aside.
        held.ThrowIfLost();
        index.Publish(held);
        runs.RunIfDue();
        if (later.Count >= folder.Layout.ShardPositions)
        {
            var done = index.Head - later[0] + 1;
            settings.RebuildProgress.Report(StoreOperation.IndexRebuild, done, later.Count);
            StoreLog.Rebuilding(logger, done, later.Count);
        }
        else
        {
            StoreLog.Adopted(logger, whole[0].Position, whole[^1].Position);
        }
    }

    private void SetAside(FileProblem problem, List<long> later, StoreLock.Held held)
    {
        var first = index.Head + 1;
        var rest = later.FindAll(position => position >= first);
        ThrowIfNotLeftByCrash(problem, rest);
        var place = quarantine.UseFolderFor(rest);
        try
        {
            quarantine.MoveIn(rest, place, held);
            // Order matters: looked at after the moves, which may have taken appends that another holder reported.
            held.ThrowIfLost();
        }
        catch (Exception e) when (volume.LockMayBeLost && e is FileSystemException or LockLostException)
        {
            eventFiles.Mending.PutBack(rest.Select(position => (position, FilePath.Join(place, StoreLayout.EventFileName(position)))));
            throw;
        }
        StoreLog.SetAside(logger, PositionList.InWords(rest), place, eventFiles.PathOf(problem.Position), problem.What);
    }

    // The positions are those after the last whole append.
    private void ThrowIfNotLeftByCrash(FileProblem problem, List<long> positions)
    {
        foreach (var position in positions)
        {
            if (position > problem.Position && eventFiles.Read(position, out _) is { } later && later.Commit.After >= problem.Position)
                throw Damaged(problem, $"the event at position {later.Position}");
        }
        if (eventFiles.FirstEdited(positions.Where(position => position >= problem.Position)) is { } edited)
            throw eventFiles.Edited(edited);
        foreach (var shard in positions.Append(problem.Position).Select(folder.Layout.ShardOf).Distinct())
        {
            if (eventFiles.IsSealed(shard))
                throw Damaged(problem, $"{folder.Layout.SealedFile(shard)} is sealed, which");
        }
    }

    private StoreDamagedException Damaged(FileProblem problem, string proof)
    {
        var path = eventFiles.PathOf(problem.Position);
        return new StoreDamagedException(path, problem.Position,
            $"The store is damaged at position {problem.Position}: {path} {problem.What}, although {proof} proves that it had been "
                + "committed. "
            + $"Nothing was changed. {StoreCheck.InWords} names everything that is wrong and its remedy; see docs/operations.md.");
    }
}
