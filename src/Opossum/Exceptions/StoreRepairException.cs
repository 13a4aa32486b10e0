namespace Opossum;

/// <summary>A repair was refused, or could not be brought to its end. The message says whether anything was changed and what to do.</summary>
public sealed class StoreRepairException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="path">The file or folder that is the matter.</param>
    /// <param name="message">What is in the way and what to do.</param>
    /// <param name="innerException">What the operating system said, if it did.</param>
    public StoreRepairException(string path, string message, Exception? innerException = null)
        : base(message, innerException) => Path = path;

    /// <summary>The file or folder that is the matter.</summary>
    public string Path { get; }

    /// <summary>False: somebody has to change something first.</summary>
    public override bool IsTransient => false;
}
