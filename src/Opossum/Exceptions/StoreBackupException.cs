namespace Opossum;

/// <summary>Thrown when a backup or a restore is refused or cannot be completed. The message says what the target holds and what to do.</summary>
public sealed class StoreBackupException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file or folder that causes the error.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that the operating system reported, if any.</param>
    /// <param name="isTransient">Whether the same call may succeed later.</param>
    public StoreBackupException(string path, string message, Exception? innerException = null, bool isTransient = false)
        : base(message, innerException)
    {
        Path = path;
        IsTransient = isTransient;
    }

    /// <summary>The file or folder that causes the error.</summary>
    public string Path { get; }

    /// <summary>True when the operating system refused an operation: the same call goes on where this one stopped. False when it was
    /// refused.</summary>
    public override bool IsTransient { get; }
}
