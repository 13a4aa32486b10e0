using Opossum.FileSystem;

namespace Opossum.Storage.Locking;

/// <summary>
/// A duty that one process has at a time, so that appends do not wait for it: a locked byte of a file. Each duty has a file of its own: on macOS
/// the whole file is locked. A repair takes both duties before it takes the store's lock.
/// </summary>
internal sealed class StoreDuty : IDisposable
{
    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(10);

    private readonly IFile file;
    private bool isDisposed;

    private StoreDuty(IFile file)
    {
        this.file = file;
    }

    /// <summary>Takes the duty to seal and unseal folders of event files, if it is free.</summary>
    public static StoreDuty? TryTakeSealing(StoreFolder folder) => TryTake(folder, folder.Layout.StoreFile, FileOpening.ReadWrite);

    /// <summary>Waits for the duty to seal and unseal folders of event files, and takes it.</summary>
    /// <exception cref="StoreLockTimeoutException">It was not free in time.</exception>
    public static StoreDuty TakeSealing(StoreFolder folder, TimeSpan timeout) => Take(TryTakeSealing, folder, folder.Layout.StoreFile,
        "a process that seals or unseals folders of events, or repairs the store", timeout);

    /// <summary>
    /// Takes, if it is free, the duty to write the event files of the journal's events without holding the store's lock. No event file appears
    /// while a repair has it.
    /// </summary>
    /// <param name="folder">The store's folder.</param>
    /// <param name="held">The lock. It shows that the path still leads to the store; this may create the file.</param>
    public static StoreDuty? TryTakeJournal(StoreFolder folder, StoreLock.Held held)
    {
        held.AssertIsHeld();
        return TryTakeJournal(folder);
    }

    /// <summary>
    /// Waits for the duty to write the event files of the journal's events, and takes it; null when no process has had it, except on a share.
    /// </summary>
    /// <remarks>There, this machine may not know yet of a file that another one has created.</remarks>
    /// <exception cref="StoreLockTimeoutException">It was not free in time.</exception>
    public static StoreDuty? TakeJournalIfUsed(StoreFolder folder, TimeSpan timeout)
    {
        var path = folder.Layout.JournalLockFile;
        return !folder.Volume.IsNetwork && folder.FileSystem.GetKind(path) == EntryKind.Missing
            ? null
            : Take(TryTakeJournal, folder, path, "a process that writes event files from the journal", timeout);
    }

    /// <summary>Gives the duty back.</summary>
    public void Dispose()
    {
        if (isDisposed)
            return;
        isDisposed = true;
        try
        {
            file.Unlock(StoreLayout.LockOffset);
        }
        catch (FileSystemException)
        {
            // Closing the file frees the byte.
        }
        file.Dispose();
    }

    private static StoreDuty? TryTakeJournal(StoreFolder folder) => TryTake(folder, folder.Layout.JournalLockFile, FileOpening.LockOrCreate);

    private static StoreDuty? TryTake(StoreFolder folder, string path, FileOpening opening)
    {
        var file = folder.FileSystem.Open(path, opening) ?? throw new FileSystemException(FileError.NotFound, "open", path, "it was removed.");
        try
        {
            if (file.TryLock(StoreLayout.LockOffset))
                return new StoreDuty(file);
        }
        catch
        {
            file.Dispose();
            throw;
        }
        file.Dispose();
        return null;
    }

    private static StoreDuty Take(Func<StoreFolder, StoreDuty?> tryTake, StoreFolder folder, string path, string holder, TimeSpan timeout)
    {
        for (var paused = TimeSpan.Zero; ; paused += pause)
        {
            if (tryTake(folder) is { } taken)
                return taken;
            if (paused >= timeout)
                throw new StoreLockTimeoutException(path, holder, timeout);
            folder.FileSystem.Pause(pause);
        }
    }
}
