namespace Opossum;

/// <summary>
/// Thrown when the operating system refuses a read: the disk or the share cannot be reached, permission is missing, or the like. Nothing was changed.
/// </summary>
public sealed class StoreReadException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file or folder that could not be read.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that the operating system reported.</param>
    public StoreReadException(string path, string message, Exception? innerException = null)
        : base(message, innerException) => Path = path;

    /// <summary>The file or folder that could not be read.</summary>
    public string Path { get; }

    /// <summary>True: the same read succeeds once the disk or the share can be reached again.</summary>
    public override bool IsTransient => true;
}
