namespace Opossum.Maintenance;

/// <summary>The result of comparing a store with checkpoints.</summary>
public sealed class ProofReport
{
    internal ProofReport(ProofCheckpoint checkpoint, long intactUpTo, ProofDifference? difference, IReadOnlyList<ProofRedaction> redacted,
        long redactedCount)
    {
        Checkpoint = checkpoint;
        IntactUpTo = intactUpTo;
        FirstDifference = difference;
        Redacted = redacted;
        RedactedCount = redactedCount;
    }

    /// <summary>The checkpoint that covers the most events.</summary>
    public ProofCheckpoint Checkpoint { get; }

    /// <summary>
    /// The position up to which every event is known to be the one that the checkpoints cover. It may lie before the one before
    /// <see cref="FirstDifference"/>, where the tree's tiles are missing or were rewritten.
    /// </summary>
    public long IntactUpTo { get; }

    /// <summary>The first difference; null: every event is the one that the checkpoint covers, or was redacted.</summary>
    public ProofDifference? FirstDifference { get; }

    /// <summary>Whether every event is the one that the checkpoint covers, or was redacted: see <see cref="RedactedCount"/>.</summary>
    public bool IsIntact => FirstDifference is null;

    /// <summary>
    /// The redacted events that were read, by position, at most 1,000. Each keeps the leaf of its text before: it is proven that an
    /// event with that text stood there, and not what its file says now.
    /// </summary>
    public IReadOnlyList<ProofRedaction> Redacted { get; }

    /// <summary>The number of redacted events that were read, also of those that <see cref="Redacted"/> has no room for.</summary>
    public long RedactedCount { get; }
}
