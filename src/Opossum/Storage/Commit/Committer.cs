using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Commit;

/// <summary>The one place where appends are decided and made durable: a group of them, one lock, one flush, one outcome for each.</summary>
internal sealed class Committer(OpenStore store, WritingParts writing, StoreSettings settings, ILogger logger)
{
    // A name that recovery can neither take in nor set aside would have us try for ever.
    private const int TriesWithoutProgressMax = 16;

    // Each is a read of an event file under the lock, and all may be lost at once: many commits then mend some each.
    private const int MendedCopiesMax = 256;

    // The caller waits for it, and the server may be away.
    private static readonly TimeSpan MakeGoodTimeout = TimeSpan.FromSeconds(30);

    private readonly StoreLock storeLock = writing.StoreLock;
    private readonly EventIndex index = writing.Index;
    private readonly Recovery recovery = writing.Recovery;
    private readonly EventFiles eventFiles = store.EventFiles;
    private readonly EventFileCreator creator = new(store.FileSystem, store.Layout, store.Volume, store.EventFiles);
    private readonly Volume volume = store.Volume;

    private Exception? fault;

    // The positions to which this process may have written what others have stored there since.
    private (long First, long Last)? late;

    /// <summary>What has left the disk's state unknown, so that nothing is appended any more; null: nothing has.</summary>
    public Exception? FaultedBy => Volatile.Read(ref fault);

    /// <summary>Commits the group, with what has queued until the lock is taken. Never throws: each append ends with its own outcome.</summary>
    public void Commit(Group group, CommitQueue queue)
    {
        try
        {
            CommitUnderLock(group, queue);
            MakeGood();
        }
        catch (Exception e)
        {
            group.TryStart();
            MakeGood();
            End(group, e);
        }
    }

    /// <summary>Makes durable what was appended without flushing.</summary>
    /// <exception cref="StoreFaultedException">It could not be made durable, now or before.</exception>
    public void FlushBehind()
    {
        ThrowIfFaulted();
        try
        {
            using var held = storeLock.Acquire(settings.LockTimeout);
            CatchUp(held);
            FlushBehind(held);
        }
        catch (Exception e) when (e is FlushFailedException || IsGone(e))
        {
            Note(e);
            throw new StoreFaultedException(AppendOutcome.Unknown, $"Events that were appended without flushing could not be made durable: a power cut may take them. The store takes no appends until it is opened again. What failed: {e.Message}", e);
        }
    }

    private void CommitUnderLock(Group group, CommitQueue queue)
    {
        ThrowIfFaulted();
        using var held = storeLock.Acquire(settings.LockTimeout);
        queue.Fill(group);
        if (!group.TryStart())
            return;
        CatchUp(held);
        WriteOrSplit(group, held);
    }

    private void Write(Group group, StoreLock.Held held)
    {
        try
        {
            WriteFiles(group, held);
        }
        catch (Exception e) when (volume.IsNetwork && e is LockLostException or FlushFailedException && group.Events.Count > 0)
        {
            late = (group.Events[0].Position, group.Events[^1].Position);
            throw;
        }
        if (group.Events.Count == 0)
            return;
        // Order matters: the frames are written after the flush, or another process could see an event that a power cut takes back.
        Publish();
        MendCopies();
    }

    private void WriteFiles(Group group, StoreLock.Held held)
    {
        ThrowIfFaulted();
        var after = DurableBefore(held);
        var head = index.Head;
        for (var tries = 1; ; tries++)
        {
            group.Decide(index, eventFiles, after, settings.TimeProvider.GetUtcNow().UtcTicks);
            if (group.Events.Count == 0)
                return;
            creator.Encode(group.Events);
            // Order matters: what can meet a full disk comes before the events are stored. Nobody sees the copies before the frames.
            index.Prepare(group.Events);
            if (creator.TryCreate(group.Events, settings.Flush, held))
                break;
            // A name was taken: somebody crashed between files and index, or this view is stale. The event files say what is true.
            group.Withdraw();
            recovery.Run(held);
            tries = index.Head > head ? 1 : tries;
            head = index.Head;
            if (tries >= TriesWithoutProgressMax)
                throw recovery.NameNeverFree(head + 1);
        }
        held.ThrowIfLost();
    }

    // When the connection was lost, an SMB client opens files anew by their names, and what it writes late goes into the files that others have
    // stored there since. What the index has of them is written again.
    private void MakeGood()
    {
        if (late is not var (first, last))
            return;
        late = null;
        try
        {
            using var held = storeLock.Acquire(settings.LockTimeout < MakeGoodTimeout ? settings.LockTimeout : MakeGoodTimeout);
            index.CatchUp(pastCache: true, underLock: true);
            for (var position = first; position <= Math.Min(last, index.Head); position++)
            {
                if (PackedEvents.ReadStored(index.ReadPacked(position, pastCache: true), position, index.Contents) is { } copy && eventFiles.TryRestore(copy))
                    StoreLog.MadeGood(logger, position);
            }
        }
        catch (Exception e) when (e is EventStoreException or FileSystemException)
        {
            StoreLog.NotMadeGood(logger, first, last, e);
        }
    }

    private void WriteOrSplit(Group group, StoreLock.Held held)
    {
        try
        {
            Write(group, held);
        }
        catch (FileSystemException) when (group.Appends.Count > 1)
        {
            // Nothing of the group is left. Whom the disk has room for is found one by one.
            foreach (var append in group.Appends)
            {
                var alone = Group.Of(append);
                try
                {
                    Write(alone, held);
                }
                catch (Exception e)
                {
                    End(alone, e);
                }
            }
        }
    }

    private void CatchUp(StoreLock.Held held)
    {
        if (index.CatchUp(underLock: true) != IndexState.Current)
            recovery.Run(held);
    }

    // What an event's "after" may claim: all up to it is durable, whoever wrote it.
    private long DurableBefore(StoreLock.Held held)
    {
        if (settings.Flush)
        {
            FlushBehind(held);
            return index.Head;
        }
        // A note beyond the head is of events that a repair cut off, or a restored backup has not: it says nothing of those that take their places.
        if (held.DurableUpTo is { } durable && durable <= index.Head)
            return durable;
        held.DurableUpTo = index.Head;
        return index.Head;
    }

    private void FlushBehind(StoreLock.Held held)
    {
        if (held.DurableUpTo is not { } durable)
            return;
        if (durable < index.Head)
        {
            // Order matters: noted before the flush. The system reports once that it could not write, and a second flush, by any process, passes
            // over what the first one lost.
            if (!held.BeginFlush())
                eventFiles.WriteAgain(durable + 1, index.Head);
            eventFiles.Flush(durable + 1, index.Head);
        }
        held.DurableUpTo = null;
    }

    private void Publish()
    {
        try
        {
            index.Publish();
        }
        catch (FileSystemException e)
        {
            throw new PublishFailedException(e);
        }
    }

    private void MendCopies()
    {
        foreach (var position in index.TakeDamagedCopies(MendedCopiesMax))
        {
            try
            {
                if (position <= index.Head && eventFiles.Read(position, out _) is { } stored)
                    index.TryMend(stored);
            }
            catch (FileSystemException e)
            {
                StoreLog.CopyNotMended(logger, position, e);
            }
        }
    }

    private void ThrowIfFaulted()
    {
        if (FaultedBy is { } cause)
            throw new StoreFaultedException(AppendOutcome.NothingWritten, $"Nothing was written: the store takes no appends since an earlier one failed in a way that left the disk's state unknown. Open the store again. What failed: {cause.Message}", cause);
    }

    private void End(Group group, Exception error)
    {
        switch (error)
        {
            case EventStoreException:
                group.Fail(_ => error, AppendOutcome.NothingWritten);
                return;
            case FileSystemException when IsGone(error):
                Fault(group, error, AppendOutcome.NothingWritten, "");
                return;
            case FileSystemException e:
                group.Fail(_ => new StoreWriteException(e.Path, $"Nothing was appended. {e.Message} {Advice(e)}", e), AppendOutcome.NothingWritten);
                return;
            case PublishFailedException:
                Fault(group, error, AppendOutcome.Stored, $"The events are stored{(settings.Flush ? " and durable" : ", but not flushed yet")}, but the index could not be written; opening the store again derives it.");
                return;
            case LockLostException:
                Fault(group, error, AppendOutcome.Unknown, "Another process took the store's lock while this one still held it, so it may have set the events aside.");
                return;
            default:
                Fault(group, error, AppendOutcome.Unknown, "The events could not be made durable for certain, so it is not known whether they are stored.");
                return;
        }
    }

    private void Fault(Group group, Exception error, AppendOutcome outcome, string what)
    {
        Note(error);
        group.Fail(each => new StoreFaultedException(each, $"{(each == AppendOutcome.NothingWritten ? "Nothing of this append was written." : what)} The store takes no appends until it is opened again. What failed: {error.Message}", error), outcome);
    }

    // What stays wrong however often it is tried: the store's folder, or one in it, is not there any more.
    private static bool IsGone(Exception error) => error is FileSystemException { Error: FileError.Moved or FileError.NotFound or FileError.NotAFolder };

    private void Note(Exception error)
    {
        Volatile.Write(ref fault, error);
        StoreLog.Faulted(logger, error.Message, error);
    }

    private static string Advice(FileSystemException e) => e.Error switch
    {
        FileError.DiskFull => "Free some space; the store stays usable.",
        FileError.AccessDenied or FileError.ReadOnly => "Give this process the right to write there; the store stays usable.",
        FileError.TooManyOpenFiles => "Close files or raise the process's limit; the store stays usable.",
        FileError.InUse => $"{FileSystemException.InUseAdvice} The store stays usable; try again.",
        _ => "The store stays usable; try again.",
    };
}
