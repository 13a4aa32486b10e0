using Opossum.FileSystem;

namespace Opossum.Storage.Locking;

/// <summary>
/// What a holder of the lock notes in the lock file for those after it: up to which position events are durable, and after which position they may be
/// only in the journal. Used under the lock.
/// </summary>
internal sealed class LockNotes(LockFile file, LockText text, Volume volume, TimeProvider clock)
{
    private bool hasBegunFlush;
    private long? flushedNote;
    private bool isJournalNoteFlushed;
    private bool hasFlushFailed;

    /// <summary>The last position known to be durable; events after it may not be. Null when all are durable.</summary>
    public long? DurableUpTo { get; private set; }

    /// <summary>The position after which events may be only in the journal; null when no event is.</summary>
    public long? JournaledAfter { get; private set; }

    /// <summary>How many times the lock came to this process from another one.</summary>
    public long Turns { get; private set; }

    /// <summary>Takes over what the last holder has noted, and writes this process's text.</summary>
    /// <param name="content">The last holder's text.</param>
    /// <param name="wipesWaiter">Whether the waiter's text is erased.</param>
    public void TakeOver(ReadOnlySpan<byte> content, bool wipesWaiter)
    {
        DurableUpTo = LockText.DurableUpTo(content);
        hasBegunFlush = LockText.HasBegunFlush(content);
        JournaledAfter = LockText.JournaledAfter(content);
        if (!text.IsOurs(content))
        {
            Turns++;
            isJournalNoteFlushed = false;
        }
        isJournalNoteFlushed &= JournaledAfter is not null;
        if (flushedNote != DurableUpTo)
            flushedNote = null;
        Write(DurableUpTo, hasBegunFlush, JournaledAfter, wipesWaiter);
    }

    /// <summary>Notes up to which position events are durable, durably unless all are. Clears the note of <see cref="BeginFlush"/>.</summary>
    public void SetDurableUpTo(long? position)
    {
        // Also where the write fails: it may have torn the note.
        flushedNote = null;
        Write(position, hasBegunFlush: false, JournaledAfter);
        (DurableUpTo, hasBegunFlush) = (position, false);
        // Order matters: this is durable before anything is appended without flushing. Otherwise a power cut could leave index frames
        // on disk without their events, and the index would be trusted.
        if (position is not null)
            MakeDurable();
    }

    /// <summary>Makes the note of <see cref="DurableUpTo"/> durable against a power cut.</summary>
    /// <remarks>Another process, or this one earlier, may have written the note and failed to flush it, so each process flushes it once.</remarks>
    public void MakeDurable()
    {
        if (flushedNote == DurableUpTo)
            return;
        Flush();
        flushedNote = DurableUpTo;
    }

    /// <inheritdoc cref="StoreLock.Held.BeginFlush"/>
    public bool BeginFlush()
    {
        if (hasBegunFlush)
            return false;
        Write(DurableUpTo, hasBegunFlush: true, JournaledAfter);
        hasBegunFlush = true;
        return true;
    }

    /// <summary>Notes after which position events may be only in the journal.</summary>
    /// <remarks>Flushed only when it begins: a later position says no more than that fewer events may be without a file.</remarks>
    public void SetJournaledAfter(long? position)
    {
        Write(DurableUpTo, hasBegunFlush, position);
        JournaledAfter = position;
        isJournalNoteFlushed &= position is not null;
    }

    /// <inheritdoc cref="StoreLock.Held.BeginJournal"/>
    public void BeginJournal(long after)
    {
        if (JournaledAfter is null)
            SetJournaledAfter(after);
        if (isJournalNoteFlushed)
            return;
        Flush();
        isJournalNoteFlushed = true;
    }

    // After a flush that failed the text is written again: the system may have dropped it, and reports that only once.
    private void Flush()
    {
        if (hasFlushFailed)
            Write(DurableUpTo, hasBegunFlush, JournaledAfter);
        hasFlushFailed = true;
        file.Handle.Flush();
        hasFlushFailed = false;
    }

    // What was not written is not known to the next holder, so callers note it for themselves only afterwards.
    private void Write(long? durableUpTo, bool hasBegunFlush, long? journaledAfter, bool wipesWaiter = false)
    {
        file.Write(text.Holder(clock.GetUtcNow().UtcDateTime, durableUpTo, hasBegunFlush, journaledAfter, wipesWaiter), 0);
        // Order matters: the next holder writes its own text, and a late write of this one would overwrite it.
        if (volume.IsNetwork && !volume.CachesIgnoreLocks)
            file.Handle.FlushRange();
    }
}
