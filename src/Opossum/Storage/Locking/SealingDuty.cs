using Opossum.FileSystem;

namespace Opossum.Storage.Locking;

/// <summary>
/// The duty to seal and unseal folders of event files, which one process has at a time: a locked byte of store.json, so that appends do not wait
/// for it. A repair takes it too, before it takes the store's lock.
/// </summary>
internal sealed class SealingDuty : IDisposable
{
    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(10);

    private readonly IFile file;
    private bool isDisposed;

    private SealingDuty(IFile file)
    {
        this.file = file;
    }

    /// <summary>Takes the duty if it is free.</summary>
    public static SealingDuty? TryTake(StoreFolder folder)
    {
        var path = folder.Layout.StoreFile;
        var file = folder.FileSystem.Open(path, FileOpening.ReadWrite)
            ?? throw new FileSystemException(FileError.NotFound, "open", path, "it was removed.");
        try
        {
            if (file.TryLock(StoreLayout.LockOffset))
                return new SealingDuty(file);
        }
        catch
        {
            file.Dispose();
            throw;
        }
        file.Dispose();
        return null;
    }

    /// <summary>Waits for the duty and takes it.</summary>
    /// <exception cref="StoreLockTimeoutException">It was not free in time.</exception>
    public static SealingDuty Take(StoreFolder folder, TimeSpan timeout)
    {
        for (var paused = TimeSpan.Zero; ; paused += pause)
        {
            if (TryTake(folder) is { } taken)
                return taken;
            if (paused >= timeout)
            {
                throw new StoreLockTimeoutException(folder.Layout.StoreFile,
                    "a process that seals or unseals folders of events, or repairs the store", timeout);
            }
            folder.FileSystem.Pause(pause);
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
            file.Unlock(StoreLayout.LockOffset);
        }
        catch (FileSystemException)
        {
            // Closing the file frees the byte.
        }
        file.Dispose();
    }
}
