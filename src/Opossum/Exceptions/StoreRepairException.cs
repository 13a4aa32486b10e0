namespace Opossum;

/// <summary>Thrown when a repair is refused or cannot be completed. The message says whether anything was changed and what to do.</summary>
public sealed class StoreRepairException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file or folder that causes the error.</param>
    /// <param name="message">What prevents the repair and what to do.</param>
    /// <param name="innerException">The error that the operating system reported, if any.</param>
    public StoreRepairException(string path, string message, Exception? innerException = null)
        : base(message, innerException) => Path = path;

    /// <summary>The file or folder that causes the error.</summary>
    public string Path { get; }

    /// <summary>False: the cause must be fixed first.</summary>
    public override bool IsTransient => false;
}
