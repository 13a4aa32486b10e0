namespace Opossum;

/// <summary>Thrown when a line of an import is refused. The appends before the line's are stored; of the line's append nothing is.</summary>
public sealed class StoreImportException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="line">The number of the line, from 1.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that caused this one, if any.</param>
    public StoreImportException(long line, string message, Exception? innerException = null)
        : base(message, innerException) => Line = line;

    /// <summary>The number of the refused line, from 1.</summary>
    public long Line { get; }

    /// <summary>False: the line must be corrected first.</summary>
    public override bool IsTransient => false;
}
