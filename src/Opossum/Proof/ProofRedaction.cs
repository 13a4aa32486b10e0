namespace Opossum;

/// <summary>A redacted event that a verification met.</summary>
/// <param name="Position">The position of the event.</param>
/// <param name="Redactions">Its redactions, the oldest first.</param>
public sealed record ProofRedaction(long Position, IReadOnlyList<EventRedaction> Redactions);
