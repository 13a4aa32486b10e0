namespace Opossum.Storage.Failures;

/// <summary>The lock file carries another process's mark although this process holds the lock, or it could not be read.</summary>
internal sealed class LockLostException(string lockFile, Exception? cause = null)
    : Exception($"The lock {lockFile} was lost, or may have been, while it was held: the connection to the server was interrupted, or this process "
    + "was paused for a long time.", cause);
