namespace Opossum;

/// <summary>Thrown when a history does not continue its last checkpoint, or an event cannot be proven.</summary>
public sealed class StoreProofException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file or folder that causes the error.</param>
    /// <param name="position">The position of the event concerned; null when it is not known.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that the operating system reported, if any.</param>
    public StoreProofException(string path, long? position, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Path = path;
        Position = position;
    }

    /// <summary>The file or folder that causes the error.</summary>
    public string Path { get; }

    /// <summary>The position of the event concerned; null when it is not known.</summary>
    public long? Position { get; }

    /// <summary>False: the cause must be found first.</summary>
    public override bool IsTransient => false;
}
