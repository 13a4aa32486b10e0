using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Failures;
using Opossum.Storage.Locking;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Commit;

/// <summary>Brings event files up to the log without keeping appends from the lock, and decides what a failure of that means.</summary>
internal sealed class Writeback(StoreFolder folder, WritingParts writing, StoreSettings settings, CatchUp catchUp, Outcomes outcomes, ILogger logger)
{
    private static readonly TimeSpan pauseMin = TimeSpan.FromMilliseconds(1);
    // So long appends wait for files at a time, and so long a store that is closed waits for that.
    private static readonly TimeSpan pauseMax = TimeSpan.FromSeconds(1);

    private readonly Lock running = new();
    private TimeSpan pause;

    private bool AreAllThere => !Files.AreBehind && writing.StoreLock.ReadFiles() is null;

    public FilesBehind Files { get; } = writing.Files;

    /// <summary>Waits, after events were appended, for files that are missing: see <see cref="FilesBehind.DelayAfter"/>.</summary>
    public void SlowDownAfter(int events)
    {
        // A pause of less than a millisecond would take one.
        pause += Files.DelayAfter(events);
        if (pause < pauseMin)
            return;
        folder.FileSystem.Pause(pause < pauseMax ? pause : pauseMax);
        pause = TimeSpan.Zero;
    }

    /// <summary>Writes event files of lines, or flushes files. The lock is held only before and after.</summary>
    /// <exception cref="StoreFaultedException">The files could not be made durable.</exception>
    public FilesProgress Run()
    {
        lock (running)
            return RunAlone();
    }

    // Invariant: the note in the lock file counts only files that are durable, and a process writes files without the
    // lock only while it has the duty. So the duty is taken under the lock, by which a repair that sees none knows that
    // no file appears, and the note moves under the lock again, once the files of a part are flushed.
    private FilesProgress RunAlone()
    {
        outcomes.ThrowIfFaulted();
        StoreDuty? duty = null;
        FilesPart? turn = null;
        try
        {
            using (var held = catchUp.Acquire(settings.LockTimeout))
            {
                if (held.Files is null)
                    return FilesProgress.AllThere;
                duty = StoreDuty.TryTakeFiles(folder, held);
                if (duty is null)
                    return FilesProgress.OfAnother;
                turn = Files.TakeTurn(held);
            }
            if (turn is not null)
                BringUp(turn);
            return Files.AreBehind ? FilesProgress.SomeLeft : FilesProgress.AllThere;
        }
        catch (Exception e) when (e is DiskStateUnknownException || (turn is { HasLines: false } && Outcomes.IsGone(e)))
        {
            throw settings.Flush ? outcomes.FaultBehindLines(e) : outcomes.FaultBehind(e);
        }
        finally
        {
            duty?.Dispose();
        }
    }

    // A flush waits for the disk, and the next files take the processor meanwhile.
    private void BringUp(FilesPart turn)
    {
        FilesPart? written = null;
        foreach (var next in Files.PartsOf(turn).Append(null))
        {
            var isWritten = Files.FlushAndWrite(written, next, writing.StoreLock.ThrowIfMoved, out var failure);
            if (written is not null || !isWritten)
            {
                using var held = catchUp.Acquire(settings.LockTimeout);
                if (!isWritten)
                    Files.Settle(held);
                if (!isWritten || !Files.TryNote(written!, held))
                    return;
            }
            failure?.Throw();
            written = next;
        }
    }

    /// <summary>Gives all events their files, durably, whichever process appended them.</summary>
    /// <exception cref="StoreFaultedException">They could not be made durable, now or by an earlier flush.</exception>
    public void Settle()
    {
        outcomes.ThrowIfFaulted();
        try
        {
            if (AreAllThere)
                return;
            using var held = catchUp.Acquire(settings.LockTimeout);
            if (held.Files is not null)
                Files.Settle(held);
        }
        catch (Exception e) when (e is DiskStateUnknownException || Outcomes.IsGone(e))
        {
            throw settings.Flush ? outcomes.FaultBehindLines(e) : outcomes.FaultBehind(e);
        }
    }

    /// <summary>The same when the store is disposed. What has lines keeps them, for the next opening, where files cannot be written.</summary>
    /// <exception cref="StoreFaultedException">
    /// Events that were appended without flushing could not be made durable, now or by an earlier flush.
    /// </exception>
    public void End()
    {
        if (folder.FileSystem.IsOff || (settings.Flush && outcomes.FaultedBy is not null))
            return;
        try
        {
            if (outcomes.FaultedBy is not { } cause)
                Settle();
            else if (!AreAllThere)
                throw Outcomes.NotDurable(cause);
        }
        catch (Exception e) when (settings.Flush && e is EventStoreException or FileSystemException or LockLostException)
        {
            StoreLog.FilesNotBroughtUp(logger, e);
        }
        catch (Exception e) when (e is FileSystemException or StoreLockTimeoutException or LockLostException)
        {
            // The message of the exception is that of an append.
            var what = e is StoreLockTimeoutException timeout
                ? $"The lock {timeout.Path} was not free. It was last taken by {timeout.Holder}."
                : e.Message;
            throw new StoreFaultedException(AppendOutcome.Unknown,
                "Events that were appended without flushing may not be durable: a power cut may remove them. The next append to the store makes "
                    + $"them durable. What failed: {what}", e);
        }
    }

    /// <summary>
    /// Makes durable what any process appended without flushing, up to a position at least: before something durable is built on these events.
    /// </summary>
    /// <exception cref="StoreFaultedException">They could not be made durable, now or by an earlier flush.</exception>
    public void MakeDurable(long position)
    {
        // On a share every event is flushed. A note follows no event: it is written before the events after it are visible.
        if (!folder.Volume.IsWrittenThrough && StoreLock.ReadDurable(folder.FileSystem, folder.Layout.LockFile) < position)
        {
            lock (running)
                Settle();
        }
    }
}
