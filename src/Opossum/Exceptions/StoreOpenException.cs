namespace Opossum;

/// <summary>The folder cannot be opened as a store: it is a file, is not writable, holds something else, is of a newer format, or its lock cannot be trusted.</summary>
public sealed class StoreOpenException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="path">The folder or file that is the matter.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">What the operating system said, if it did.</param>
    public StoreOpenException(string path, string message, Exception? innerException = null)
        : base(message, innerException) => Path = path;

    /// <summary>The folder or file that is the matter.</summary>
    public string Path { get; }

    /// <summary>False: somebody has to change something first.</summary>
    public override bool IsTransient => false;
}
