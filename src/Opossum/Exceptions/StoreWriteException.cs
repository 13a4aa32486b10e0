namespace Opossum;

/// <summary>The operating system refused a write: the disk is full, permission is missing, or the like. Nothing was appended, or asked of a projection; the store stays usable.</summary>
public sealed class StoreWriteException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="path">The file that could not be written.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">What the operating system said.</param>
    /// <param name="isTransient">Whether the same append may succeed later.</param>
    public StoreWriteException(string path, string message, Exception? innerException = null, bool isTransient = true)
        : base(message, innerException)
    {
        Path = path;
        IsTransient = isTransient;
    }

    /// <summary>The file that could not be written.</summary>
    public string Path { get; }

    /// <summary>True: once there is space or permission, the same append succeeds. False only when the store has no position left.</summary>
    public override bool IsTransient { get; }
}
