namespace Opossum;

/// <summary>
/// Thrown when a flush or a write has failed in a way that leaves the state of the disk unknown. The store accepts no appends until it is opened
/// again.
/// </summary>
public sealed class StoreFaultedException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="outcome">The outcome of this append.</param>
    /// <param name="message">What failed and what to do.</param>
    /// <param name="innerException">The first failure.</param>
    public StoreFaultedException(AppendOutcome outcome, string message, Exception? innerException = null)
        : base(message, innerException) => Outcome = outcome;

    /// <summary>The outcome of this append.</summary>
    public AppendOutcome Outcome { get; }

    /// <summary>False: the store must be opened again first.</summary>
    public override bool IsTransient => false;
}
