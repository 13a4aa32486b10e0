namespace Opossum.Maintenance;

/// <summary>A checkpoint that was written.</summary>
public sealed record ProofCheckpointResult
{
    /// <summary>The checkpoint.</summary>
    public required ProofCheckpoint Checkpoint { get; init; }

    /// <summary>
    /// A sentence for each witness that could not be written: a folder that is full or missing. Empty: all were.
    /// </summary>
    public required IReadOnlyList<string> WitnessProblems { get; init; }

    /// <summary>The newest checkpoint at each witness, and why this one was not written there.</summary>
    public IReadOnlyList<ProofWitnessStatus> Witnesses { get; init; } = [];
}
