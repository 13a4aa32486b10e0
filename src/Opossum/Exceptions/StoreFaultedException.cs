namespace Opossum;

/// <summary>A flush or a write failed in a way that leaves the state of the disk unknown. The store takes no appends until it is opened again.</summary>
public sealed class StoreFaultedException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="outcome">What became of this append.</param>
    /// <param name="message">What failed and what to do.</param>
    /// <param name="innerException">What failed first.</param>
    public StoreFaultedException(AppendOutcome outcome, string message, Exception? innerException = null)
        : base(message, innerException) => Outcome = outcome;

    /// <summary>What became of this append.</summary>
    public AppendOutcome Outcome { get; }

    /// <summary>False: the store has to be opened again first.</summary>
    public override bool IsTransient => false;
}
