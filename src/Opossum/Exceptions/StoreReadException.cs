namespace Opossum;

/// <summary>The operating system refused a read: the disk or the share cannot be reached, permission is missing, or the like. Nothing was changed.</summary>
public sealed class StoreReadException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="path">The file or folder that could not be read.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">What the operating system said.</param>
    public StoreReadException(string path, string message, Exception? innerException = null)
        : base(message, innerException) => Path = path;

    /// <summary>The file or folder that could not be read.</summary>
    public string Path { get; }

    /// <summary>True: once the disk or the share can be reached again, the same read succeeds.</summary>
    public override bool IsTransient => true;
}
