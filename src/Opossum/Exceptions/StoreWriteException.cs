namespace Opossum;

/// <summary>
/// Thrown when the operating system refuses a write: the disk is full, permission is missing, or the like. Nothing was appended and no request to a
/// projection was stored; the store stays usable.
/// </summary>
public sealed class StoreWriteException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file that could not be written.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that the operating system reported.</param>
    /// <param name="isTransient">Whether the same append may succeed later.</param>
    public StoreWriteException(string path, string message, Exception? innerException = null, bool isTransient = true)
        : base(message, innerException)
    {
        Path = path;
        IsTransient = isTransient;
    }

    /// <summary>The file that could not be written.</summary>
    public string Path { get; }

    /// <summary>True: the same append succeeds once there is space or permission. False only when the store has no position left.</summary>
    public override bool IsTransient { get; }
}
