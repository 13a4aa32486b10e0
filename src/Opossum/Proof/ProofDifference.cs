namespace Opossum;

/// <summary>A difference between a store's events and a checkpoint.</summary>
/// <param name="Kind">The kind of difference.</param>
/// <param name="First">The position of the event, or the first position of the range in which the differences lie.</param>
/// <param name="Last">The last position of the range.</param>
/// <param name="Message">The difference as a sentence.</param>
public sealed record ProofDifference(ProofDifferenceKind Kind, long First, long Last, string Message)
{
    /// <summary>The message.</summary>
    public override string ToString() => Message;
}
