namespace Opossum;

/// <summary>
/// Thrown when the folder cannot be opened as a store: it is a file, is not writable, contains other files, has a newer format, or the file system's
/// locks are not reliable.
/// </summary>
public sealed class StoreOpenException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The folder or file that causes the error.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that the operating system reported, if any.</param>
    /// <param name="isTransient">Whether the same call may succeed later without any change.</param>
    public StoreOpenException(string path, string message, Exception? innerException = null, bool isTransient = false)
        : base(message, innerException)
    {
        Path = path;
        IsTransient = isTransient;
    }

    /// <summary>The folder or file that causes the error.</summary>
    public string Path { get; }

    /// <summary>
    /// False: the cause must be fixed first. True only when another program held a file open, the lock was lost during the call, an opening for
    /// reading only could not know the last append, or no place for a store on demand was free.
    /// </summary>
    public override bool IsTransient { get; }
}
