namespace Opossum.Storage.Locking;

/// <summary>The lock file carries another process's mark although this one believes to hold the lock, or could not be asked.</summary>
internal sealed class LockLostException(Exception? cause = null)
    : Exception("The store's lock was lost, or may have been, while it was held: the connection to the server was interrupted, or this process was paused for long.", cause);
