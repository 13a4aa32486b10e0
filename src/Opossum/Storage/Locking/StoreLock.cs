using System.Diagnostics;
using System.Globalization;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Failures;

namespace Opossum.Storage.Locking;

/// <summary>
/// The store's lock between processes and machines: a locked byte of the lock file, whose text names the last holder and says
/// up to which position every event has its file, durably.
/// </summary>
internal sealed class StoreLock : IDisposable
{
    // How long a process that has just held the lock gives way to waiting processes.
    private static readonly TimeSpan yieldPause = TimeSpan.FromMicroseconds(100);
    private const int YieldPausesMax = 150;

    private readonly Lock gate = new();
    private readonly IFileSystem fileSystem;
    private readonly string root;
    private readonly string path;
    private readonly Volume volume;
    private readonly TimeProvider clock;
    private readonly Random jitter = new();
    private readonly LockText text;
    private readonly LockFile file;
    private readonly LockNotes notes;
    private bool othersWait;
    private volatile bool isHeld;
    private long takenAt;
    private long waitedFrom;
    private long releasedAt;
    private volatile bool isDisposed;

    public StoreLock(StoreFolder folder, TimeProvider clock)
    {
        fileSystem = folder.FileSystem;
        root = folder.Root;
        path = folder.Layout.LockFile;
        volume = folder.Volume;
        this.clock = clock;
        text = new LockText(ThisProcess.Description, LockFile.NewMark());
        file = new LockFile(fileSystem, volume, path);
        notes = new LockNotes(file, text, volume, clock);
    }

    /// <summary>Verifies that the lock excludes a second handle.</summary>
    /// <returns>False when other machines may use the file system too and the lock excludes only the processes of this machine.</returns>
    /// <exception cref="StoreOpenException">The lock does not exclude a second handle.</exception>
    public bool Verify()
    {
        // Each test locks its own byte, so that stores that open at the same moment do not disturb each other.
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
        {
            throw new StoreOpenException(path,
                $"The file system {volume.Name} lets two handles lock the same byte of {path}, so the lock does not exclude other processes. Put "
                    + "the store on a file system with working locks, or mount it with them.");
        }

        return !staysHere;
    }

    /// <summary>The value that <see cref="Held.Files"/> would have, read without taking the lock.</summary>
    /// <remarks>It waits for a thread that has the lock or waits for it: each of them may close the handle.</remarks>
    public FilesNote? ReadFiles()
    {
        lock (gate)
            return LockText.FilesOf(ReadHolderText(stackalloc byte[LockText.HolderLength]));
    }

    /// <summary>The same for a user who may not be able to open the file for writing.</summary>
    /// <remarks>
    /// If this user cannot even read the file, nothing is known: to a reader all events count as durable, of which a power cut may then remove some
    /// that were read, and lines after the last event file count.
    /// </remarks>
    public static FilesNote? ReadFiles(IFileSystem fileSystem, string path)
    {
        try
        {
            return LockText.FilesOf(ReadHolderText(fileSystem, path, stackalloc byte[LockText.HolderLength]));
        }
        catch (FileSystemException e) when (e.Error == FileError.AccessDenied)
        {
            return FilesNote.Denied;
        }
    }

    /// <summary>The last position known to be durable, read without taking the lock; null: all are.</summary>
    public static long? ReadDurable(IFileSystem fileSystem, string path) => FilesNote.Durable(ReadFiles(fileSystem, path));

    /// <summary>Checks, except on a share, that the path still leads to the folder in which the store was opened.</summary>
    /// <exception cref="FileSystemException">The folder was moved, deleted or replaced: <see cref="FileError.Moved"/>.</exception>
    public void ThrowIfMoved()
    {
        if (file.IsReplaced)
            throw Moved();
    }

    /// <summary>Waits for the lock and takes it.</summary>
    /// <param name="timeout">The longest time to wait for other threads, and then for other processes; after it, one try is made.</param>
    /// <param name="since">
    /// The timestamp from which the time for other processes counts, as far as this process has not held the lock since. Null: from now.
    /// </param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StoreLockTimeoutException">It was not free in time.</exception>
    /// <exception cref="FileSystemException">The lock file cannot be used, or <see cref="ThrowIfMoved"/>.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    // Invariant: one thread of one process has the lock, unless a share loses it, and knows what the last holder noted.
    // So the gate between the threads is entered before the byte is locked and left after: a second thread would get
    // the byte by the shared handle, and lose it to the unlocking of the first.
    public Held Acquire(TimeSpan timeout, long? since = null, CancellationToken cancellationToken = default)
    {
        using var wait = Instruments.Measure(Instruments.LockWaitTime, root);
        if (!gate.TryEnter(timeout))
            throw NotFreeHere(timeout);
        try
        {
            // Before the file is used, which would open it again.
            ObjectDisposedException.ThrowIf(isDisposed, typeof(IEventStore));
            if (othersWait)
                LetOthersGoFirst();
            // Under the gate: what this process has held until now does not count.
            waitedFrom = since is { } earlier ? Math.Max(earlier, releasedAt) : clock.GetTimestamp();
            Wait(timeout, waitedFrom, cancellationToken);
            try
            {
                TakeOver();
                Volatile.Write(ref takenAt, clock.GetTimestamp());
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

    public void Dispose()
    {
        isDisposed = true;
        file.Dispose();
    }

    private void Wait(TimeSpan timeout, long started, CancellationToken cancellationToken)
    {
        var paused = TimeSpan.Zero;
        for (var tries = 1; !TryLock(); tries++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            // Pauses take real time even if the clock, as in a test, stands still.
            var elapsed = clock.GetElapsedTime(started);
            var waited = elapsed > paused ? elapsed : paused;
            if (waited >= timeout)
                throw NotFree(timeout, Holder());
            if (tries % 4 == 3)
                NoteThatWeWait();
            var pause = NextPause(waited);
            fileSystem.Pause(pause);
            paused += pause;
        }
    }

    private string Holder()
    {
        if (file.Handle.IsLockedForReading(StoreLayout.LockOffset))
            return "a program that has locked it for reading, which no store does; any program that may read the file can";
        return HolderIn(ReadHolderText(stackalloc byte[LockText.HolderLength]));
    }

    // Without the gate, by the path.
    private string HolderInFile()
    {
        try
        {
            return HolderIn(ReadHolderText(fileSystem, path, stackalloc byte[LockText.HolderLength]));
        }
        catch (FileSystemException)
        {
            return "a process whose name cannot be read now";
        }
    }

    // Ours: this store has released it since, and the file, or what a cache has of it, lacks the name of the holder.
    private string HolderIn(ReadOnlySpan<byte> read) => text.IsOurs(read) ? "a process whose name is not there yet" : LockText.HolderOf(read);

    private StoreLockTimeoutException NotFree(TimeSpan timeout, string holder) => !ThisProcess.IsNamedBy(holder)
        ? new(path, holder, timeout)
        : new(path, holder, timeout, "That is this process itself: another store object of it, or a check, a repair, a backup or an import that it "
            + "runs. Open a store once in a process and share it, and try again when the other work is done, or raise LockTimeout.");

    // Without the gate: a thread has it that has taken the lock, or waits for another process.
    private StoreLockTimeoutException NotFreeHere(TimeSpan timeout) => isHeld
        ? new(path, string.Create(CultureInfo.InvariantCulture,
            $"{ThisProcess.Description}, for {clock.GetElapsedTime(Volatile.Read(ref takenAt)).TotalSeconds:0.###} s by now"), timeout,
            "That is this process itself: another operation of the same store object, such as a large append, a flush of a slow disk or a change of "
                + "tag rules. Try again when it is done, or raise LockTimeout.")
        : NotFree(timeout, HolderInFile());

    private FileSystemException Moved() => new(FileError.Moved, "use", FilePath.FolderOf(path)!,
        "it is no longer the folder in which this store was opened: that folder was moved, deleted or replaced.");

    private void NoteThatWeWait()
    {
        try
        {
            if (!volume.ForbidsKeptWriteHandles || volume.CachesIgnoreLocks)
            {
                file.Write(text.Waiter, LockText.HolderLength);
                return;
            }
            // An NFS client may also send its cached bytes around the written ones and overwrite the holder's mark. It does not while this
            // machine holds a lock on a byte of the file.
            var offset = OffsetOfOurOwn();
            if (!file.Handle.TryLock(offset))
                return;
            file.Handle.Write(text.Waiter, LockText.HolderLength);
            file.Handle.Unlock(offset);
        }
        catch (FileSystemException) when (volume.ServerMayBeAway)
        {
            // As in TryLock: the server may come back before the timeout.
            file.Close();
        }
    }

    private long OffsetOfOurOwn() => StoreLayout.LockOffset + 1 + jitter.NextInt64(1L << 60);

    // Polls instead of blocking: on SMB a blocked waiter may never wake. All waiters pause alike, so none is favoured.
    private TimeSpan NextPause(TimeSpan waited)
    {
        var shortest = waited < TimeSpan.FromSeconds(1) ? TimeSpan.FromMicroseconds(50) : TimeSpan.FromMilliseconds(1);
        return shortest * (1 + 4 * jitter.NextDouble()) * (volume.TakesRoundTrips ? 20 : 1);
    }

    private bool TryLock()
    {
        try
        {
            return file.Handle.TryLock(StoreLayout.LockOffset);
        }
        catch (FileSystemException) when (volume.ServerMayBeAway)
        {
            // The server was unreachable and this handle is dead; a new handle works once the server is back.
            file.Close();
            return false;
        }
    }

    private void LetOthersGoFirst()
    {
        try
        {
            Span<byte> read = stackalloc byte[LockText.HolderLength];
            for (var pauses = 0; pauses < YieldPausesMax && text.IsOurs(ReadHolderText(read)); pauses++)
                fileSystem.Pause(yieldPause);
        }
        catch (FileSystemException) when (volume.ServerMayBeAway)
        {
            // As in TryLock.
            file.Close();
        }
    }

    private void TakeOver()
    {
        // Before anything is written by path: another store could be there.
        ThrowIfMoved();
        Span<byte> read = stackalloc byte[LockText.HolderLength + LockText.WaiterLength];
        // Where caches ignore locks, the text of the last holder may not have reached this machine's.
        var content = read[..(volume.CachesIgnoreLocks && file.ReadPastCache(read) is { } length ? length : file.Handle.Read(read, 0))];
        othersWait = LockText.HasWaiter(content);
        // Written in full the first time, and when a waiter's note must be erased.
        notes.TakeOver(content, wipesWaiter: othersWait || content.Length < read.Length);
    }

    private ReadOnlySpan<byte> ReadHolderText(Span<byte> buffer) => buffer[..file.Handle.Read(buffer, 0)];

    private static ReadOnlySpan<byte> ReadHolderText(IFileSystem fileSystem, string path, Span<byte> buffer)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        return buffer[..(file?.Read(buffer, 0) ?? 0)];
    }

    private void ThrowIfLost()
    {
        if (!volume.LockMayBeLost)
            return;
        try
        {
            if (!CarriesOurMark())
                throw new LockLostException(path);
        }
        catch (FileSystemException e)
        {
            throw new LockLostException(path, e);
        }
    }

    private bool CarriesOurMark()
    {
        Span<byte> read = stackalloc byte[LockText.HolderLength];
        return file.ReadPastCache(read) is { } length && text.IsOurs(read[..length]);
    }

    private void Release(long at)
    {
        releasedAt = at;
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
            // Closing the handle frees the byte where unlocking failed. The work under the lock is done, so nothing else fails.
            file.Close();
        }
    }

    /// <summary>The lock while it is held; disposing releases it. Operations that need the lock take one as a parameter.</summary>
    public readonly struct Held(StoreLock owner) : IDisposable
    {
        /// <summary>Asserts that the lock is held: calling with a released lock, or one never taken, is a bug in this program.</summary>
        [Conditional("DEBUG")]
        public void AssertIsHeld() => Debug.Assert(owner is { isHeld: true }, "The store's lock is not held.");

        /// <summary>How far the event files go; null: every event has its file, durably.</summary>
        /// <remarks>Set durably where it begins: a process on another machine outlives a power cut of this one.</remarks>
        public FilesNote? Files
        {
            get => owner.notes.Files;
            set => owner.notes.Set(value);
        }

        /// <summary>Makes <see cref="Files"/> durable against a power cut.</summary>
        public void MakeNoteDurable() => owner.notes.MakeDurable();

        /// <summary>How many times the lock came to this process from another one: while it stays the same, no other process has held it.</summary>
        public long Turns => owner.notes.Turns;

        /// <summary>
        /// Notes that a flush of the files after <see cref="Files"/> begins; setting that clears it. False when it is noted already: an earlier flush,
        /// by any process, failed or never completed.
        /// </summary>
        public bool BeginFlush() => owner.notes.BeginFlush();

        /// <summary>
        /// Checks with the server that the lock file still carries this process's mark: on a network file system a holder can lose its lock
        /// without an error and continue.
        /// </summary>
        /// <exception cref="LockLostException">The mark is not there, or could not be read.</exception>
        public void ThrowIfLost() => owner.ThrowIfLost();

        /// <inheritdoc cref="StoreLock.ThrowIfMoved"/>
        public void ThrowIfMoved() => owner.ThrowIfMoved();

        /// <summary>Releases it, before anything was done under it, for work that needs no lock.</summary>
        /// <returns>The timestamp from which a further wait counts, to include the one for this, and not the work.</returns>
        public long GiveBack(Action work)
        {
            var waited = owner.clock.GetTimestamp() - owner.waitedFrom;
            owner.Release(owner.waitedFrom);
            work();
            return owner.clock.GetTimestamp() - waited;
        }

        public void Dispose() => owner.Release(owner.clock.GetTimestamp());
    }
}
