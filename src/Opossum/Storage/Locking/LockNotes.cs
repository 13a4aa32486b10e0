using Opossum.FileSystem;

namespace Opossum.Storage.Locking;

/// <summary>What a holder of the lock notes in the lock file for those after it: how far the event files go. Used under the lock.</summary>
internal sealed class LockNotes(LockFile file, LockText text, Volume volume, TimeProvider clock)
{
    // An opening after a power cut compares the files of all events after the note that is on the disk.
    private const int BehindMax = 10_000;

    private FilesNote? flushed;
    // How many times any process has set the note: what was set again may say the same as what was flushed, and not be on the disk.
    private long number;
    private bool hasFlushFailed;

    /// <summary>How far the event files go; null: every event has its file, durably.</summary>
    public FilesNote? Files { get; private set; }

    /// <summary>How many times the lock came to this process from another one.</summary>
    public long Turns { get; private set; }

    /// <summary>Takes over what the last holder has noted, and writes this process's text.</summary>
    /// <param name="content">The last holder's text.</param>
    /// <param name="wipesWaiter">Whether the waiter's text is erased.</param>
    public void TakeOver(ReadOnlySpan<byte> content, bool wipesWaiter)
    {
        Files = LockText.FilesOf(content);
        if (!text.IsOurs(content))
            Turns++;
        var last = LockText.NumberOf(content);
        if (last != number || last < 0 || !IsCovered(Files))
            flushed = null;
        number = Math.Max(last, 0);
        Write(Files, wipesWaiter);
    }

    /// <summary>Notes how far the event files go.</summary>
    // Invariant: whatever a power cut leaves, the note on the disk counts no file that is not durable. So a note that
    // the one on the disk does not cover is flushed before this returns, and so before an append, unless all have their
    // files, and what is known of the disk is forgotten before the write, which may tear it.
    public void Set(FilesNote? note)
    {
        if (!IsCovered(note) || note?.UpTo - flushed?.UpTo >= BehindMax)
            flushed = null;
        number++;
        Write(note);
        Files = note;
        if (note is not null)
            MakeDurable();
    }

    /// <summary>Makes the note durable against a power cut.</summary>
    /// <remarks>Another process, or this one earlier, may have written the note and failed to flush it, so each process flushes it once.</remarks>
    public void MakeDurable()
    {
        if (flushed is not null && IsCovered(Files))
            return;
        Flush();
        flushed = Files;
    }

    /// <inheritdoc cref="StoreLock.Held.BeginFlush"/>
    public bool BeginFlush()
    {
        if (Files is not { HasBegunFlush: false } note)
            return false;
        var begun = note with { HasBegunFlush = true };
        Write(begun);
        Files = begun;
        return true;
    }

    // Whether the note that is on the disk says at least as much.
    private bool IsCovered(FilesNote? note) => note is { } now && flushed is { } known && known.HasLines == now.HasLines && known.UpTo <= now.UpTo;

    // After a flush that failed the text is written again: the system may have dropped it, and reports that only once.
    private void Flush()
    {
        if (hasFlushFailed)
            Write(Files);
        hasFlushFailed = true;
        file.Handle.Flush();
        hasFlushFailed = false;
    }

    // What was not written is not known to the next holder, so callers note it for themselves only afterwards.
    private void Write(FilesNote? note, bool wipesWaiter = false)
    {
        file.Write(text.Holder(clock.GetUtcNow().UtcDateTime, note, number, wipesWaiter), 0);
        // Order matters: unless it is written through now, a late write could take the place of the next holder's note.
        if (volume.IsWrittenThrough && !volume.CachesIgnoreLocks)
            file.Handle.FlushRange();
    }
}
