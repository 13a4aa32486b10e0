using System.Globalization;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Storage;

/// <summary>
/// Brings index and event files together, under the lock: takes in what was committed behind the index's end, and sets aside what a crash left
/// incomplete. A rebuild of the whole index is the same from position 1 on.
/// </summary>
internal sealed class Recovery(IFileSystem fileSystem, StoreLayout layout, Volume volume, EventIndex index, EventFiles eventFiles, StoreSettings settings, ILogger logger)
{
    private const int ReportedEventsMin = 10_000;

    private static readonly TimeSpan PatiencePause = TimeSpan.FromMilliseconds(50);

    /// <exception cref="StoreDamagedException">A file is missing or wrong although its position had been committed. Nothing was changed.</exception>
    /// <exception cref="LockLostException">The lock was lost before what is incomplete could be set aside; it lies where it was.</exception>
    public void Run(StoreLock.Held held)
    {
        SettleIndexEnd();
        var started = settings.TimeProvider.GetTimestamp();
        while (true)
        {
            var behind = eventFiles.ListBehind(index.Head);
            if (TakeIn(behind) is not { } problem)
                break;
            if (CouldStillComplete(started))
            {
                fileSystem.Pause(PatiencePause);
                continue;
            }
            SetAside(problem, behind, held);
            break;
        }
        index.Settle();
    }

    /// <summary>The error for a position whose name stays taken although nothing of it can be taken in or set aside.</summary>
    public StoreDamagedException NameNeverFree(long position) =>
        new(layout.EventFile(position), position, $"Nothing was appended: {layout.EventFile(position)} cannot be created because its name is taken, but no file of that name is listed. Look at that folder with the system's own tools, and check the store.");

    private void SettleIndexEnd()
    {
        var state = index.CatchUp(underLock: true);
        if (state == IndexState.UnclearTail && volume.IsNetwork)
            state = index.CatchUp(pastCache: true, underLock: true);
        if (state == IndexState.Gone)
            index.Create();
        else if (state == IndexState.UnclearTail)
            index.CutTail();
    }

    // On a network file system the lock may have failed without a word, and what is incomplete be a live writer's.
    private bool CouldStillComplete(long started) =>
        volume.IsNetwork && settings.TimeProvider.GetElapsedTime(started) < settings.RecoveryPatience;

    // Takes in each complete, valid commit that follows without a gap. Returns what stopped it; null: nothing is left.
    private FileProblem? TakeIn(List<long> behind)
    {
        if (behind.Count == 0)
            return null;
        var durable = eventFiles.ProvenDurable(behind);
        var reader = new CommitReader(eventFiles, index.Head, behind[^1]);
        foreach (var whole in reader.ReadWhole())
            Adopt(whole, behind, durable);
        return reader.Problem;
    }

    private void Adopt(List<StoredEvent> whole, List<long> behind, long durable)
    {
        var first = Math.Max(whole[0].Position, durable + 1);
        var last = whole[^1].Position;
        if (first <= last)
        {
            // They may be what a flush that failed left behind, and the next flush would pass over.
            eventFiles.WriteAgain(first, last);
            eventFiles.Flush(first, last);
        }
        index.Prepare(whole);
        index.Publish();
        if (behind.Count >= ReportedEventsMin)
        {
            var done = index.Head - behind[0] + 1;
            settings.RebuildProgress?.Report(new IndexRebuildProgress(done, behind.Count));
            StoreLog.Rebuilding(logger, done, behind.Count);
        }
        else
        {
            StoreLog.Adopted(logger, whole[0].Position, whole[^1].Position);
        }
    }

    private void SetAside(FileProblem problem, List<long> behind, StoreLock.Held held)
    {
        var first = index.Head + 1;
        var rest = behind.FindAll(position => position >= first);
        foreach (var position in rest)
        {
            if (position > problem.Position && eventFiles.Read(position, out _) is { } later && later.Commit.After >= problem.Position)
                throw Damaged(problem, later);
        }
        held.ThrowIfLost();
        var folder = CreateQuarantineFolder();
        try
        {
            MoveAside(rest, folder);
            // Order matters: asked after the moves. Whoever had the lock meanwhile may have used the names again, and told his callers so.
            held.ThrowIfLost();
        }
        catch (Exception e) when (volume.IsNetwork && e is FileSystemException or LockLostException)
        {
            foreach (var position in rest)
                eventFiles.PutBack(Path.Combine(folder, StoreLayout.EventFileName(position)), position);
            throw;
        }
        StoreLog.SetAside(logger, string.Join(", ", rest.Take(20)) + (rest.Count > 20 ? ", ..." : ""), folder, layout.EventFile(problem.Position), problem.What);
    }

    private void MoveAside(List<long> rest, string folder)
    {
        // Last first: what a crash in between leaves is still incomplete, and set aside the next time.
        for (var at = rest.Count - 1; at >= 0; at--)
            Move(layout.EventFile(rest[at]), Path.Combine(folder, StoreLayout.EventFileName(rest[at])));
        // Order matters: the moves are durable before the names are used again, or a power cut could bring the old files back in their place.
        fileSystem.FlushFolder(folder);
        for (var shard = StoreLayout.ShardOf(rest[0]); shard <= rest[^1]; shard += StoreLayout.ShardPositions)
        {
            if (fileSystem.GetKind(layout.ShardFolder(shard)) == EntryKind.Folder)
                fileSystem.FlushFolder(layout.ShardFolder(shard));
        }
    }

    private void Move(string from, string to)
    {
        fileSystem.Move(from, to);
        // The process that wrote it may have ended before it was flushed. On a share this also makes the new name durable, not the folder's flush.
        using var moved = fileSystem.Open(to, FileOpening.ReadWrite);
        moved?.Flush();
    }

    private string CreateQuarantineFolder()
    {
        var stamp = settings.TimeProvider.GetUtcNow().ToString("yyyyMMdd'T'HHmmss.fff'Z'", CultureInfo.InvariantCulture);
        fileSystem.CreateFolder(layout.Quarantine);
        for (var number = 1; ; number++)
        {
            var folder = Path.Combine(layout.Quarantine, number == 1 ? stamp : string.Create(CultureInfo.InvariantCulture, $"{stamp}-{number}"));
            if (fileSystem.GetKind(folder) != EntryKind.Missing)
                continue;
            fileSystem.CreateFolder(folder);
            fileSystem.FlushFolder(layout.Quarantine);
            fileSystem.FlushFolder(layout.Root);
            return folder;
        }
    }

    private StoreDamagedException Damaged(FileProblem problem, StoredEvent later)
    {
        var path = layout.EventFile(problem.Position);
        return new StoreDamagedException(path, problem.Position,
            $"The store is damaged at position {problem.Position}: {path} {problem.What}, although the event at position {later.Position} proves that it had been committed. "
            + "Nothing was changed. Put the file back from a backup (see docs/operations.md), or run StoreCheck to see everything that is wrong.");
    }
}
