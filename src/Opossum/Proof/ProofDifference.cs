namespace Opossum.Maintenance;

/// <summary>A difference between a store's events and a checkpoint.</summary>
public sealed record ProofDifference
{
    /// <summary>The kind of difference.</summary>
    public required ProofDifferenceKind Kind { get; init; }

    /// <summary>The position of the event, or the first position of the range in which the differences lie.</summary>
    public required long First { get; init; }

    /// <summary>The last position of the range.</summary>
    public required long Last { get; init; }

    /// <summary>The difference as a sentence.</summary>
    public required string Message { get; init; }

    /// <summary>The message.</summary>
    public override string ToString() => Message;
}
