using System.Text;
using Opossum.FileSystem;
using Opossum.Storage.Failures;

namespace Opossum.Storage.Locking;

/// <summary>
/// A duty that one process has at a time, so that appends do not wait for it. Each duty has a lock file of its own: on macOS the whole file is
/// locked. A repair takes those for the event files before it takes the store's lock.
/// </summary>
internal sealed class StoreDuty : IDisposable
{
    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(10);

    // Each try takes three round trips to a server.
    private static readonly TimeSpan soon = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan laterPause = TimeSpan.FromSeconds(1);

    private readonly Lock gate = new();
    private readonly LockFile file;
    private byte[]? mark;
    private bool isDisposed;

    private StoreDuty(LockFile file)
    {
        this.file = file;
    }

    /// <summary>Takes the duty if it is free.</summary>
    public static StoreDuty? TryTake(StoreFolder folder, Duty duty)
    {
        var taken = new StoreDuty(new LockFile(folder.FileSystem, folder.Volume, Of(duty, folder.Layout).Path));
        try
        {
            if (taken.file.Handle.TryLock(StoreLayout.LockOffset))
            {
                if (folder.Volume.LockMayBeLost && duty is Duty.Sealing or Duty.Snapshots)
                    taken.WriteMark();
                return taken;
            }
        }
        catch
        {
            taken.file.Dispose();
            throw;
        }
        taken.file.Dispose();
        return null;
    }

    /// <summary>Waits for the duty and takes it.</summary>
    /// <exception cref="StoreLockTimeoutException">It was not free in time.</exception>
    public static StoreDuty Take(StoreFolder folder, Duty duty, TimeSpan timeout)
    {
        for (var paused = TimeSpan.Zero; ;)
        {
            if (TryTake(folder, duty) is { } taken)
                return taken;
            if (paused >= timeout)
            {
                var (path, holder) = Of(duty, folder.Layout);
                throw new StoreLockTimeoutException(path, holder, timeout);
            }
            var next = paused < soon ? pause : laterPause;
            folder.FileSystem.Pause(next);
            paused += next;
        }
    }

    /// <summary>Whether a process has the duty of sealing at this moment. False also when this user may not know.</summary>
    public static bool IsSealingTaken(StoreFolder folder)
    {
        try
        {
            using var file = folder.FileSystem.Open(folder.Layout.SealingLockFile, FileOpening.Read);
            return file?.IsLocked(StoreLayout.LockOffset) == true;
        }
        catch (FileSystemException)
        {
            return false;
        }
    }

    /// <summary>
    /// Takes, if it is free, the duty to write or flush event files without holding the store's lock. No event file appears while a repair has it.
    /// </summary>
    /// <param name="folder">The store's folder.</param>
    /// <param name="held">The lock. It shows that the path still leads to the store; this may create the file.</param>
    public static StoreDuty? TryTakeFiles(StoreFolder folder, StoreLock.Held held)
    {
        held.AssertIsHeld();
        return TryTake(folder, Duty.Files);
    }

    /// <summary>
    /// Waits for the duty to write or flush event files without the store's lock, and takes it; null when no process has had it, except on a share.
    /// </summary>
    /// <remarks>There, this machine may not know yet of a file that another one has created.</remarks>
    /// <exception cref="StoreLockTimeoutException">It was not free in time.</exception>
    public static StoreDuty? TakeFilesIfUsed(StoreFolder folder, TimeSpan timeout) =>
        !folder.Volume.ViewMayBeStale && folder.FileSystem.GetKind(folder.Layout.FilesLockFile) == EntryKind.Missing
            ? null
            : Take(folder, Duty.Files, timeout);

    /// <summary>
    /// Checks with the server that the lock file still carries the mark that was written with the duty to seal and unseal, or that for snapshots:
    /// on a network file system it can be lost without an error. Elsewhere it cannot, and this does nothing.
    /// </summary>
    /// <exception cref="LockLostException">The mark is not there, or could not be read.</exception>
    public void ThrowIfLost()
    {
        if (mark is null)
            return;
        try
        {
            lock (gate)
            {
                if (!file.Carries(mark))
                    throw new LockLostException(file.Path);
            }
        }
        catch (FileSystemException e)
        {
            throw new LockLostException(file.Path, e);
        }
    }

    /// <summary>Gives the duty back.</summary>
    public void Dispose()
    {
        if (isDisposed)
            return;
        isDisposed = true;
        try
        {
            file.Handle.Unlock(StoreLayout.LockOffset);
        }
        catch (FileSystemException)
        {
            // Closing the file frees the byte.
        }
        file.Dispose();
    }

    private void WriteMark()
    {
        var written = Encoding.ASCII.GetBytes(LockFile.NewMark());
        file.WriteOut(written);
        mark = written;
    }

    private static (string Path, string Holder) Of(Duty duty, StoreLayout layout) => duty switch
    {
        Duty.Sealing => (layout.SealingLockFile, "a process, perhaps this one, that seals or unseals folders of events, or repairs the store"),
        Duty.Runs => (layout.RunsLockFile, "a process, perhaps this one, that makes parts of the index, or changes tag rules"),
        Duty.Snapshots => (layout.SnapshotsLockFile, "a process that makes a snapshot there, perhaps this one"),
        _ => (layout.FilesLockFile, "a process, perhaps this one, that writes event files"),
    };
}
