namespace Opossum;

/// <summary>
/// Thrown when a backup, a restore, an import, a repair, sealing or a proof is refused or cannot be completed. The message says what was done and
/// what to do.
/// </summary>
public sealed class StoreMaintenanceException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file or folder that causes the error; null when it is not a file.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that the operating system reported, if any.</param>
    /// <param name="isTransient">Whether the same call may succeed later.</param>
    public StoreMaintenanceException(string? path, string message, Exception? innerException = null, bool isTransient = false)
        : base(message, innerException)
    {
        Path = path;
        IsTransient = isTransient;
    }

    /// <summary>The file or folder that causes the error; null when it is not a file.</summary>
    public string? Path { get; }

    /// <summary>
    /// The number of the refused line of an import, from 1; null when it is not about a line. The appends before the line's are stored; of the
    /// line's append nothing is.
    /// </summary>
    public long? Line { get; init; }

    /// <summary>
    /// The position of the event that cannot be proven, or after which a former store has events that the promoted one does not have; null when it is
    /// about neither.
    /// </summary>
    public long? Position { get; init; }

    /// <summary>
    /// True when the operating system refused an operation: the same call continues where this one stopped. False when the call was refused: the
    /// cause must be fixed first.
    /// </summary>
    public override bool IsTransient { get; }
}
