namespace Opossum;

/// <summary>The result of comparing a store with checkpoints.</summary>
public sealed class ProofReport
{
    internal ProofReport(ProofCheckpoint checkpoint, long intactUpTo, ProofDifference? difference)
    {
        Checkpoint = checkpoint;
        IntactUpTo = intactUpTo;
        FirstDifference = difference;
    }

    /// <summary>The checkpoint that covers the most events.</summary>
    public ProofCheckpoint Checkpoint { get; }

    /// <summary>
    /// The position up to which no difference was found. With <see cref="ProofDifferenceKind.Rewritten"/>, the differences may lie before it.
    /// </summary>
    public long IntactUpTo { get; }

    /// <summary>The first difference; null: every event is the one that the checkpoint covers.</summary>
    public ProofDifference? FirstDifference { get; }

    /// <summary>Whether every event is the one that the checkpoint covers.</summary>
    public bool IsIntact => FirstDifference is null;
}
