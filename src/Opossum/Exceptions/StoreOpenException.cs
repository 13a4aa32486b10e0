namespace Opossum;

/// <summary>The folder cannot be opened as a store: it is a file, is not writable, holds something else, is of a newer format, or its lock cannot be trusted.</summary>
public sealed class StoreOpenException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="path">The folder or file that is the matter.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">What the operating system said, if it did.</param>
    /// <param name="isTransient">Whether the same opening may succeed later although nobody changes anything.</param>
    public StoreOpenException(string path, string message, Exception? innerException = null, bool isTransient = false)
        : base(message, innerException)
    {
        Path = path;
        IsTransient = isTransient;
    }

    /// <summary>The folder or file that is the matter.</summary>
    public string Path { get; }

    /// <summary>False: somebody has to change something first. True only when another program held a file, or the lock was lost meanwhile.</summary>
    public override bool IsTransient { get; }
}
