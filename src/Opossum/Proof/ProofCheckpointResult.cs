namespace Opossum;

/// <summary>A checkpoint that was written.</summary>
/// <param name="Checkpoint">The checkpoint.</param>
/// <param name="WitnessProblems">A sentence for each witness that could not be written: a folder that is full or missing. Empty: all were.</param>
public sealed record ProofCheckpointResult(ProofCheckpoint Checkpoint, IReadOnlyList<string> WitnessProblems)
{
    /// <summary>The newest checkpoint at each witness, and why this one was not written there.</summary>
    public IReadOnlyList<ProofWitnessStatus> Witnesses { get; init; } = [];
}
