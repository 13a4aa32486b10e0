namespace Opossum.Maintenance;

/// <summary>A redacted event that a verification met.</summary>
public sealed record ProofRedaction
{
    /// <summary>The position of the event.</summary>
    public required long Position { get; init; }

    /// <summary>Its redactions, the oldest first.</summary>
    public required IReadOnlyList<EventRedaction> Redactions { get; init; }
}
