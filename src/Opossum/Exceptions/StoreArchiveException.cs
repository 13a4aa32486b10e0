namespace Opossum;

/// <summary>Folders of events were not sealed or unsealed. Nothing is lost: the same call, made again, goes on.</summary>
public sealed class StoreArchiveException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file or folder that causes the error.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that the operating system reported, if any.</param>
    /// <param name="isTransient">Whether the same call may succeed later.</param>
    public StoreArchiveException(string path, string message, Exception? innerException = null, bool isTransient = false)
        : base(message, innerException)
    {
        Path = path;
        IsTransient = isTransient;
    }

    /// <summary>The file or folder that causes the error.</summary>
    public string Path { get; }

    /// <summary>True when the operating system refused an operation: the same call may succeed later. False when it was refused.</summary>
    public override bool IsTransient { get; }
}
