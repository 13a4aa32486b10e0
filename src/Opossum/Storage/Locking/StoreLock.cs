using System.Diagnostics;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Storage.Locking;

/// <summary>
/// The store's lock between processes and machines: a locked byte of the lock file, whose text names the last holder. While a process appends
/// without flushing, the text also tells up to where events are known durable.
/// </summary>
internal sealed class StoreLock : IDisposable
{
    // How long a process that has just had the lock lets the others go first, when there are others.
    private static readonly TimeSpan yieldPause = TimeSpan.FromMicroseconds(100);
    private const int YieldPausesMax = 150;

    private readonly Lock gate = new();
    private readonly IFileSystem fileSystem;
    private readonly string path;
    private readonly Volume volume;
    private readonly TimeProvider clock;
    private readonly Random jitter = new();
    private readonly byte[] read = new byte[LockText.HolderLength + LockText.WaiterLength];
    private readonly LockText text;
    private readonly LockFile file;
    private bool hasBegunFlush;
    private long? flushedNote;
    private bool othersWait;
    private bool isHeld;

    public StoreLock(StoreFolder folder, TimeProvider clock)
    {
        fileSystem = folder.FileSystem;
        path = folder.Layout.LockFile;
        volume = folder.Volume;
        this.clock = clock;
        text = new LockText(ThisProcess.Description, LockFile.NewMark());
        file = new LockFile(fileSystem, volume, path);
    }

    /// <summary>While the lock is held: the last position known durable, when events behind it may not be; null: all are durable.</summary>
    public long? DurableUpTo { get; private set; }

    /// <summary>Tests that the lock truly excludes a second handle.</summary>
    /// <returns>False: others may use the file system too, and only the processes of this machine are kept apart.</returns>
    /// <exception cref="StoreOpenException">It does not.</exception>
    public bool Verify()
    {
        // A byte of its own for each test, so that stores that open at the same moment do not fail each other's.
        var offset = OffsetOfOurOwn();
        using var second = file.Open(FileOpening.Lock);
        if (!file.Handle.TryLock(offset))
            return true;
        var staysHere = volume.IsNetwork && file.Handle.LocksStayHere();
        var secondGotIt = second.TryLock(offset);
        if (secondGotIt)
            second.Unlock(offset);
        Unlock(offset);
        if (secondGotIt)
            throw new StoreOpenException(path, $"The file system {volume.Name} lets two handles lock the same byte of {path}, so processes could not be kept apart. Put the store on a file system with working locks, or mount it with them.");
        return !staysHere;
    }

    /// <summary>What <see cref="DurableUpTo"/> would be, read without taking the lock.</summary>
    public long? ReadDurableUpTo() => LockText.DurableUpTo(ReadHolderText());

    /// <summary>The same for those who may not open the file for writing.</summary>
    /// <remarks>A user who may not even read it takes all for durable; what is not may go in a power cut after it was read.</remarks>
    public static long? ReadDurableUpTo(IFileSystem fileSystem, string path)
    {
        try
        {
            using var file = fileSystem.Open(path, FileOpening.Read);
            Span<byte> text = stackalloc byte[LockText.HolderLength];
            return file is null ? null : LockText.DurableUpTo(text[..file.Read(text, 0)]);
        }
        catch (FileSystemException e) when (e.Error == FileError.AccessDenied)
        {
            return null;
        }
    }

    /// <summary>Makes sure, except on a share, that the store's folder is the one in which it was opened.</summary>
    /// <exception cref="FileSystemException">It was moved or deleted, or another was put in its place: <see cref="FileError.Moved"/>.</exception>
    public void ThrowIfMoved()
    {
        if (file.IsReplaced)
            throw Moved();
    }

    /// <summary>Waits for the lock and takes it.</summary>
    /// <exception cref="StoreLockTimeoutException">It was not free in time.</exception>
    /// <exception cref="FileSystemException">The lock file cannot be used, or <see cref="ThrowIfMoved"/>.</exception>
    public Held Acquire(TimeSpan timeout)
    {
        if (!gate.TryEnter(timeout))
            throw new StoreLockTimeoutException(path, $"this process ({ThisProcess.Description})", timeout);
        try
        {
            if (othersWait)
                LetOthersGoFirst();
            Wait(timeout);
            try
            {
                TakeOver();
            }
            catch
            {
                Unlock(StoreLayout.LockOffset);
                throw;
            }
        }
        catch
        {
            gate.Exit();
            throw;
        }
        isHeld = true;
        return new Held(this);
    }

    public void Dispose() => file.Dispose();

    private void Wait(TimeSpan timeout)
    {
        var started = clock.GetTimestamp();
        var paused = TimeSpan.Zero;
        for (var tries = 1; !TryLock(); tries++)
        {
            // Pauses are real, whatever the clock says: a test's may stand still.
            var elapsed = clock.GetElapsedTime(started);
            var waited = elapsed > paused ? elapsed : paused;
            if (waited >= timeout)
                throw new StoreLockTimeoutException(path, Holder(), timeout);
            if (tries % 4 == 3)
                NoteThatWeWait();
            var pause = NextPause(waited);
            fileSystem.Pause(pause);
            paused += pause;
        }
    }

    private string Holder() => file.Handle.IsLockedForReading(StoreLayout.LockOffset)
        ? "a program that has locked it for reading, as no store does and whoever may read the file can"
        : LockText.HolderOf(ReadHolderText());

    private FileSystemException Moved() => new(FileError.Moved, "use", FilePath.FolderOf(path)!,
        "it is not the folder any more in which this store was opened: that was moved or deleted, or another was put in its place.");

    private void NoteThatWeWait()
    {
        try
        {
            if (!volume.ForbidsKeptWriteHandles || volume.CachesIgnoreLocks)
            {
                file.Write(text.Waiter, LockText.HolderLength);
                return;
            }
            // An NFS client may send the bytes around those written too, as it knows them, and wipe out the holder's mark. While a byte of the
            // file is locked by this machine it does not.
            var offset = OffsetOfOurOwn();
            if (!file.Handle.TryLock(offset))
                return;
            file.Handle.Write(text.Waiter, LockText.HolderLength);
            file.Handle.Unlock(offset);
        }
        catch (FileSystemException) when (volume.IsNetwork)
        {
            // As when the lock is tried: the server may be back before the time is up.
            file.Close();
        }
    }

    private long OffsetOfOurOwn() => StoreLayout.LockOffset + 1 + jitter.NextInt64(1L << 60);

    // Tries only, never a blocking wait: on SMB a blocked one may never wake. All who wait pause alike, so that none is favoured.
    private TimeSpan NextPause(TimeSpan waited)
    {
        var shortest = waited < TimeSpan.FromSeconds(1) ? TimeSpan.FromMicroseconds(50) : TimeSpan.FromMilliseconds(1);
        return shortest * (1 + 4 * jitter.NextDouble()) * (volume.IsNetwork ? 20 : 1);
    }

    private bool TryLock()
    {
        try
        {
            return file.Handle.TryLock(StoreLayout.LockOffset);
        }
        catch (FileSystemException) when (volume.IsNetwork)
        {
            // The server was away and this handle is dead; a new one works once it is back.
            file.Close();
            return false;
        }
    }

    private void LetOthersGoFirst()
    {
        try
        {
            for (var pauses = 0; pauses < YieldPausesMax && text.IsOurs(ReadHolderText()); pauses++)
                fileSystem.Pause(yieldPause);
        }
        catch (FileSystemException) when (volume.IsNetwork)
        {
            // As when the lock is tried.
            file.Close();
        }
    }

    private void TakeOver()
    {
        // Order matters: asked before anything is written by its path. Another store could be there.
        ThrowIfMoved();
        var content = read.AsSpan(0, file.Handle.Read(read, 0));
        othersWait = LockText.HasWaiter(content);
        DurableUpTo = LockText.DurableUpTo(content);
        hasBegunFlush = LockText.HasBegunFlush(content);
        if (flushedNote != DurableUpTo)
            flushedNote = null;
        // Written whole the first time, and when a waiter's note is to be wiped out.
        WriteText(wipesWaiter: othersWait || content.Length < read.Length);
    }

    private void SetDurableUpTo(long? position)
    {
        DurableUpTo = position;
        hasBegunFlush = false;
        flushedNote = null;
        WriteText(wipesWaiter: false);
        // Order matters: this is durable before anything is appended without flushing, or after a power cut the index, some of which may
        // have reached the disk, would be believed about events that have not.
        if (position is not null)
            MakeNoteDurable();
    }

    // Another process, or this one before, may have written the note and failed to flush it: each flushes it once itself.
    private void MakeNoteDurable()
    {
        if (flushedNote == DurableUpTo)
            return;
        flushedNote = null;
        file.Handle.Flush();
        flushedNote = DurableUpTo;
    }

    private bool BeginFlush()
    {
        if (hasBegunFlush)
            return false;
        hasBegunFlush = true;
        WriteText(wipesWaiter: false);
        return true;
    }

    private void WriteText(bool wipesWaiter)
    {
        file.Write(text.Holder(clock.GetUtcNow().UtcDateTime, DurableUpTo, hasBegunFlush, wipesWaiter), 0);
        // Order matters: whoever takes the lock next writes his own, and what arrived after that would wipe it out.
        if (volume.IsNetwork && !volume.CachesIgnoreLocks)
            file.Handle.FlushRange();
    }

    private ReadOnlySpan<byte> ReadHolderText() => read.AsSpan(0, file.Handle.Read(read.AsSpan(0, LockText.HolderLength), 0));

    private void ThrowIfLost()
    {
        if (!volume.IsNetwork)
            return;
        try
        {
            if (!CarriesOurMark())
                throw new LockLostException();
        }
        catch (FileSystemException e)
        {
            throw new LockLostException(e);
        }
    }

    private bool CarriesOurMark() => file.ReadPastCache(read.AsSpan(0, LockText.HolderLength)) is { } length && text.IsOurs(read.AsSpan(0, length));

    private void Release()
    {
        isHeld = false;
        Unlock(StoreLayout.LockOffset);
        gate.Exit();
    }

    private void Unlock(long offset)
    {
        try
        {
            file.Handle.Unlock(offset);
        }
        catch (FileSystemException)
        {
            // Closing the handle frees the byte where unlocking could not. What it was locked for is done: nothing fails any more.
            file.Close();
        }
    }

    /// <summary>The lock while it is held; disposing frees it. What may be done under the lock only asks for one.</summary>
    public readonly struct Held(StoreLock owner) : IDisposable
    {
        /// <summary>What is called with a lock that was freed, or never taken, is a mistake of this program.</summary>
        [Conditional("DEBUG")]
        public void AssertIsHeld() => Debug.Assert(owner is { isHeld: true }, "The store's lock is not held.");

        /// <summary>The last position known durable, when events behind it may not be; null: all are durable.</summary>
        public long? DurableUpTo
        {
            get => owner.DurableUpTo;
            set => owner.SetDurableUpTo(value);
        }

        /// <summary>Makes sure that a power cut does not take back what <see cref="DurableUpTo"/> says.</summary>
        public void MakeNoteDurable() => owner.MakeNoteDurable();

        /// <summary>
        /// Notes that the events behind <see cref="DurableUpTo"/> are about to be flushed, until that position is set. False: that was noted
        /// before, by whomever, so a flush of them has failed, or was not heard of again.
        /// </summary>
        public bool BeginFlush() => owner.BeginFlush();

        /// <summary>
        /// Makes sure that the lock file still carries this process's mark, asked of the server itself: on a network file system a lock can be
        /// lost without a word while its holder goes on.
        /// </summary>
        /// <exception cref="LockLostException">It does not, or could not be asked.</exception>
        public void ThrowIfLost() => owner.ThrowIfLost();

        public void Dispose() => owner.Release();
    }
}
