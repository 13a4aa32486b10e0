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

    private readonly EventIndex index = writing.Index;
    private readonly Journal journal = writing.Journal;
    private readonly Lock draining = new();
    private readonly EventFileCreator creator = new(store.Folder, store.EventFiles);
    private readonly Outcomes outcomes = new(settings, logger);
    private readonly WriteBehind writeBehind = new(writing, store.EventFiles, settings);
    private readonly LateWrites lateWrites = new(writing, store.EventFiles, settings, logger);
    private readonly LineMending lineMending = new(writing.Index, store.EventFiles, logger);

    /// <inheritdoc cref="Outcomes.FaultedBy"/>
    public Exception? FaultedBy => outcomes.FaultedBy;

    /// <inheritdoc cref="Journal.Waiting"/>
    public long EventsInJournal => journal.Waiting;

    /// <inheritdoc cref="Outcomes.ThrowIfFaulted"/>
    public void ThrowIfFaulted() => outcomes.ThrowIfFaulted();

    /// <summary>Commits the group. Never throws: each append ends with its own outcome.</summary>
    /// <param name="group">The appends.</param>
    /// <param name="fill">Adds the appends that have queued; called once the lock is held.</param>
    public void Commit(Group group, Action<Group> fill)
    {
        if (settings.UseJournal && journal.IsCrowded)
            TryRelieveJournal();
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

    // The appends wait for event files. What fails here fails again when the journal is full, and then the appends report it.
    private void TryRelieveJournal()
    {
        try
        {
            lock (draining)
            {
                // What has been written meanwhile may be enough.
                if (journal.IsCrowded)
                    TryDrainJournalAlone();
            }
        }
        catch (Exception e) when (e is EventStoreException or FileSystemException or LockLostException)
        {
            StoreLog.JournalNotDrained(logger, e);
        }
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
        if (held.JournaledAfter is not null)
        {
            journal.CatchUp(held);
            // The process that wrote the last group ended before its frames.
            isCurrent &= journal.Last <= index.Head;
        }
        if (!isCurrent)
            writing.Recovery.Run(held);
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
        try
        {
            WriteFiles(group, held);
        }
        catch (Exception e) when (e is LockLostException or DiskStateUnknownException)
        {
            lateWrites.Note(group.Events);
            throw;
        }
        if (group.Events.Count == 0)
            return;
        // Order matters: the frames are written after the flush, or another process could see an event that a power cut takes back.
        Publish(held);
        lineMending.Run(held);
    }

    private void WriteFiles(Group group, StoreLock.Held held)
    {
        outcomes.ThrowIfFaulted();
        var usesJournal = settings.UseJournal && journal.Takes(group.Bytes);
        if (usesJournal)
            journal.CatchUp(held);
        // Order matters: event files of an append follow those of all appends before it.
        if (usesJournal ? journal.IsFull : held.JournaledAfter is not null)
            journal.Drain(index.Head, held);
        var after = writeBehind.DurableUpTo(held);
        var head = index.Head;
        for (var tries = 1; ; tries++)
        {
            group.Decide(index, store.EventFiles, after, settings.TimeProvider.GetUtcNow().UtcTicks);
            if (group.Events.Count == 0)
                return;
            Encode(group, usesJournal);
            // Order matters: whatever can fail on a full disk runs before the events are stored. The lines are not visible before the frames.
            index.Prepare(group.Events, held, hasLines: true);
            if (usesJournal ? TryAppendToJournal(group.Events, held) : creator.TryCreate(group.Events, settings.Flush, held))
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

    private void Encode(Group group, bool usesJournal)
    {
        if (usesJournal)
            index.Lines.Encode(group.Events);
        else
            creator.Encode(group.Events, index.Lines);
    }

    // False: a process that ended between its event files and their frames has taken the name.
    private bool TryAppendToJournal(IReadOnlyList<StoredEvent> events, StoreLock.Held held)
    {
        if (store.EventFiles.HasName(events[0].Position))
            return false;
        journal.Append(events, index.Lines, held);
        return true;
    }

    private void Publish(StoreLock.Held held)
    {
        try
        {
            index.Publish(held);
        }
        catch (FileSystemException e)
        {
            throw new PublishFailedException(e);
        }
    }

    /// <summary>Writes the event files of events that are only in the journal. The lock is held only before and after.</summary>
    /// <returns>Whether all events have their files.</returns>
    /// <exception cref="StoreFaultedException">The files could not be made durable; the journal has the events.</exception>
    public bool TryDrainJournal()
    {
        lock (draining)
            return TryDrainJournalAlone();
    }

    private bool TryDrainJournalAlone()
    {
        outcomes.ThrowIfFaulted();
        StoreDuty? duty = null;
        try
        {
            JournalBacklog backlog;
            using (var held = writing.StoreLock.Acquire(settings.LockTimeout))
            {
                if (held.JournaledAfter is null)
                {
                    // Another process may have emptied the journal.
                    journal.CatchUp(held);
                    if (journal.Waiting == 0)
                        return true;
                }
                // Order matters: under the lock. A repair that finds no file under it knows that no process has the duty.
                duty = StoreDuty.TryTakeJournal(store.Folder, held);
                if (duty is null)
                    return false;
                CatchUp(held);
                backlog = journal.TakeBacklog(held);
            }
            if (backlog.IsEmpty)
                return true;
            var isWritten = journal.TryWriteEventFiles(backlog, writing.StoreLock.ThrowIfMoved);
            using (var held = writing.StoreLock.Acquire(settings.LockTimeout))
            {
                CatchUp(held);
                if (isWritten)
                    journal.Drop(backlog, held);
                else
                    journal.LookAgain(index.Head, held);
                return journal.Waiting == 0;
            }
        }
        catch (DiskStateUnknownException e)
        {
            throw outcomes.FaultBehindJournal(e);
        }
        finally
        {
            duty?.Dispose();
        }
    }

    /// <summary>Writes the event files of all events in the journal, whichever process appended them, and empties it.</summary>
    public void EmptyJournal()
    {
        using var held = writing.StoreLock.Acquire(settings.LockTimeout);
        if (held.JournaledAfter is null)
            return;
        CatchUp(held);
        journal.Drain(index.Head, held);
    }

    /// <summary>
    /// Makes durable what any process appended without flushing, up to a position at least: before something durable is built on these events.
    /// </summary>
    /// <exception cref="StoreFaultedException">They could not be made durable, now or by an earlier flush.</exception>
    public void MakeDurable(long position)
    {
        // On a share every event is flushed. A note follows no event: it is written before the events after it are visible.
        if (!store.Folder.Volume.IsNetwork
            && StoreLock.ReadDurableUpTo(store.Folder.FileSystem, store.Folder.Layout.LockFile) is { } durable && durable < position)
        {
            FlushBehind();
        }
    }

    /// <summary>Makes durable what was appended without flushing.</summary>
    /// <exception cref="StoreFaultedException">It could not be made durable, now or by an earlier flush.</exception>
    public void FlushBehind()
    {
        outcomes.ThrowIfFaulted();
        try
        {
            using var held = writing.StoreLock.Acquire(settings.LockTimeout);
            CatchUp(held);
            writeBehind.Flush(held);
        }
        catch (Exception e) when (e is DiskStateUnknownException || Outcomes.IsGone(e))
        {
            throw outcomes.FaultBehind(e);
        }
    }
}
