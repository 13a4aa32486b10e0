namespace Opossum;

/// <summary>
/// Thrown when the operating system refuses a read or a write: the disk is full, the share cannot be reached, permission is missing, or the like.
/// Nothing was appended, and no request was stored; the store stays usable.
/// </summary>
public sealed class StoreIOException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file or folder that could not be read or written; null when no file is at fault.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that the operating system reported.</param>
    /// <param name="isTransient">Whether the same call may succeed later.</param>
    public StoreIOException(string? path, string message, Exception? innerException = null, bool isTransient = true)
        : base(message, innerException)
    {
        Path = path;
        IsTransient = isTransient;
    }

    /// <summary>
    /// The file or folder that could not be read or written; null when no file is at fault: the store has no position left, or no thread could be
    /// started.
    /// </summary>
    public string? Path { get; }

    /// <summary>
    /// True: the same call succeeds once there is space or permission, or the share is back. False only when the store has no position left.
    /// </summary>
    public override bool IsTransient { get; }
}
