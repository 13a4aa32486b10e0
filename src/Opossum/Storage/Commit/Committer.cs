using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Commit;

/// <summary>
/// The only place where appends are decided and made durable: a group at a time, with one lock, one flush, and an outcome for each append.
/// </summary>
internal sealed class Committer(OpenStore store, WritingParts writing, StoreSettings settings, ILogger logger)
{
    // Bounds the retries for a name that recovery can neither adopt nor set aside.
    private const int TriesWithoutProgressMax = 16;

    private static readonly TimeSpan pauseMin = TimeSpan.FromMilliseconds(1);

    private readonly EventIndex index = writing.Index;
    private readonly FilesBehind files = writing.Files;
    private readonly Lock bringingUp = new();
    private readonly EventFileCreator creator = new(store.Folder, store.EventFiles);
    private readonly Outcomes outcomes = new(settings, logger);
    private readonly LateWrites lateWrites = new(writing, store.EventFiles, settings, logger);
    private long turns = -1;
    private TimeSpan pause;
    private readonly LineMending lineMending = new(writing.Index, store.EventFiles, logger);

    /// <inheritdoc cref="Outcomes.FaultedBy"/>
    public Exception? FaultedBy => outcomes.FaultedBy;

    /// <inheritdoc cref="FilesBehind.Waiting"/>
    public long EventsWithoutFiles => files.Waiting;

    /// <inheritdoc cref="FilesBehind.IsFarBehind"/>
    public bool AreFilesFarBehind => files.IsFarBehind;

    /// <inheritdoc cref="Outcomes.ThrowIfFaulted"/>
    public void ThrowIfFaulted() => outcomes.ThrowIfFaulted();

    /// <summary>Commits the group. Never throws: each append ends with its own outcome.</summary>
    /// <param name="group">The appends.</param>
    /// <param name="fill">Adds the appends that have queued; called once the lock is held.</param>
    public void Commit(Group group, Action<Group> fill)
    {
        try
        {
            CommitUnderLock(group, fill);
        }
        catch (Exception e)
        {
            group.TryStart();
            outcomes.End(group, e);
        }
        lateWrites.MakeGood();
    }

    /// <summary>Waits, after events were appended, for files that are missing: see <see cref="FilesBehind.DelayAfter"/>.</summary>
    public void SlowDownAfter(int events)
    {
        // A pause of less than a millisecond would take one.
        pause += files.DelayAfter(events);
        if (pause < pauseMin)
            return;
        store.Folder.FileSystem.Pause(pause);
        pause = TimeSpan.Zero;
    }

    private void CommitUnderLock(Group group, Action<Group> fill)
    {
        outcomes.ThrowIfFaulted();
        using var held = writing.StoreLock.Acquire(settings.LockTimeout);
        fill(group);
        if (!group.TryStart())
            return;
        CatchUp(held);
        WriteOrSplit(group, held);
    }

    private void CatchUp(StoreLock.Held held)
    {
        var isCurrent = index.CatchUp(underLock: true) == IndexState.Current;
        // The process that wrote the last lines may have ended before their frames.
        if (held.Files is { IsUnknown: true } || (held.Files is { HasLines: true } && turns != held.Turns && index.HasMoreLines))
            isCurrent = false;
        if (!isCurrent)
            writing.Recovery.Run(held);
        turns = held.Turns;
    }

    private void WriteOrSplit(Group group, StoreLock.Held held)
    {
        try
        {
            Write(group, held);
        }
        catch (FileSystemException) when (group.Appends.Count > 1)
        {
            // Nothing of the group is stored. Each append is tried alone, to find those that the disk has room for.
            foreach (var append in group.Appends)
            {
                var alone = Group.Of(append);
                try
                {
                    Write(alone, held);
                }
                catch (Exception e)
                {
                    outcomes.End(alone, e);
                }
            }
        }
    }

    private void Write(Group group, StoreLock.Held held)
    {
        var areLinesFirst = files.TakesLinesFirst(group.Bytes);
        try
        {
            Store(group, areLinesFirst, held);
        }
        catch (Exception e) when (e is LockLostException or DiskStateUnknownException)
        {
            lateWrites.Note(group.Events);
            throw;
        }
        if (group.Events.Count == 0)
            return;
        // Order matters: the frames are written after the flush, or another process could see an event that a power cut takes back.
        Publish(held, areLinesFirst);
        files.Count(held);
        lineMending.Run(held);
    }

    private void Store(Group group, bool areLinesFirst, StoreLock.Held held)
    {
        outcomes.ThrowIfFaulted();
        var after = files.Prepare(areLinesFirst, held);
        var head = index.Head;
        for (var tries = 1; ; tries++)
        {
            group.Decide(index, store.EventFiles, after, settings.TimeProvider.GetUtcNow().UtcTicks);
            if (group.Events.Count == 0)
                return;
            Encode(group, areLinesFirst);
            // Order matters: whatever can fail on a full disk runs before the events are stored. The lines are not visible before the frames.
            index.Prepare(group.Events, held, hasLines: true, areLinesFirst);
            if (areLinesFirst ? TryAppendLines(group.Events[0].Position, held) : creator.TryCreate(group.Events, settings.Flush, held))
                break;
            // A name was taken: another process crashed between files and index, or this view is stale. The event files decide.
            group.Withdraw();
            writing.Recovery.Run(held);
            tries = index.Head > head ? 1 : tries;
            head = index.Head;
            if (tries >= TriesWithoutProgressMax)
                throw writing.Recovery.NameNeverFree(head + 1);
        }
        held.ThrowIfLost();
    }

    private void Encode(Group group, bool areLinesFirst)
    {
        if (areLinesFirst)
            index.Lines.Encode(group.Events);
        else
            creator.Encode(group.Events, index.Lines);
    }

    // False: a process that ended between its event files and their frames has taken the name.
    private bool TryAppendLines(long first, StoreLock.Held held)
    {
        if (store.EventFiles.HasName(first))
            return false;
        // What fails in the middle leaves lines that the next append, by any process, has to look at.
        turns = -1;
        files.BeginLines(held);
        index.AppendLines(held);
        turns = held.Turns;
        return true;
    }

    private void Publish(StoreLock.Held held, bool hasLines)
    {
        try
        {
            index.Publish(held, hasLines);
        }
        catch (FileSystemException e)
        {
            throw new PublishFailedException(e);
        }
    }

    /// <summary>
    /// Writes event files of lines, or flushes files that are not flushed. The lock is held only before and after.
    /// </summary>
    /// <exception cref="StoreFaultedException">The files could not be made durable.</exception>
    public FilesProgress BringFilesUp()
    {
        lock (bringingUp)
            return BringFilesUpAlone();
    }

    private FilesProgress BringFilesUpAlone()
    {
        outcomes.ThrowIfFaulted();
        StoreDuty? duty = null;
        FilesPart? part = null;
        try
        {
            using (var held = writing.StoreLock.Acquire(settings.LockTimeout))
            {
                if (held.Files is null)
                    return FilesProgress.AllThere;
                // Order matters: under the lock. A repair that finds no file under it knows that no process has the duty.
                duty = StoreDuty.TryTakeFiles(store.Folder, held);
                if (duty is null)
                    return FilesProgress.OfAnother;
                CatchUp(held);
                part = files.TakePart(held);
            }
            if (part is null)
                return FilesProgress.AllThere;
            var isWritten = files.TryWrite(part, writing.StoreLock.ThrowIfMoved);
            using (var held = writing.StoreLock.Acquire(settings.LockTimeout))
            {
                CatchUp(held);
                if (isWritten)
                    files.Note(part, held);
                else
                    files.Settle(held);
                return held.Files is { } note && note.UpTo < index.Head ? FilesProgress.SomeLeft : FilesProgress.AllThere;
            }
        }
        catch (Exception e) when (e is DiskStateUnknownException || (part is { HasLines: false } && Outcomes.IsGone(e)))
        {
            throw settings.Flush ? outcomes.FaultBehindLines(e) : outcomes.FaultBehind(e);
        }
        finally
        {
            duty?.Dispose();
        }
    }

    /// <summary>Gives all events their files, durably, whichever process appended them.</summary>
    /// <exception cref="StoreFaultedException">They could not be made durable, now or by an earlier flush.</exception>
    public void SettleFiles()
    {
        outcomes.ThrowIfFaulted();
        try
        {
            if (!files.AreBehind && writing.StoreLock.ReadFiles() is null)
                return;
            using var held = writing.StoreLock.Acquire(settings.LockTimeout);
            if (held.Files is null)
                return;
            CatchUp(held);
            files.Settle(held);
        }
        catch (Exception e) when (e is DiskStateUnknownException || Outcomes.IsGone(e))
        {
            throw settings.Flush ? outcomes.FaultBehindLines(e) : outcomes.FaultBehind(e);
        }
    }

    /// <summary>The same when the store is disposed. What has lines keeps them, for the next opening, where files cannot be written.</summary>
    /// <exception cref="StoreFaultedException">Events that were appended without flushing could not be made durable.</exception>
    public void EndFiles()
    {
        if (settings.Flush && FaultedBy is not null)
            return;
        try
        {
            SettleFiles();
        }
        catch (Exception e) when (settings.Flush && e is EventStoreException or FileSystemException or LockLostException)
        {
            StoreLog.FilesNotBroughtUp(logger, e);
        }
        catch (FileSystemException e)
        {
            throw new StoreFaultedException(AppendOutcome.Unknown,
                "Events that were appended without flushing may not be durable: a power cut may remove them. The next append to the store makes "
                    + $"them durable. What failed: {e.Message}", e);
        }
    }

    /// <summary>
    /// Makes durable what any process appended without flushing, up to a position at least: before something durable is built on these events.
    /// </summary>
    /// <exception cref="StoreFaultedException">They could not be made durable, now or by an earlier flush.</exception>
    public void MakeDurable(long position)
    {
        // On a share every event is flushed. A note follows no event: it is written before the events after it are visible.
        if (!store.Folder.Volume.IsNetwork && StoreLock.ReadDurable(store.Folder.FileSystem, store.Folder.Layout.LockFile) < position)
        {
            lock (bringingUp)
                SettleFiles();
        }
    }
}
