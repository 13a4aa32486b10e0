namespace Opossum;

/// <summary>What became of the proof of a store's history: the last checkpoint, and its copies at the witnesses.</summary>
public sealed record ProofStatus
{
    /// <summary>The position of the last event that the checkpoint in the store covers, whichever process wrote it; null: there is none.</summary>
    public long? CheckpointPosition { get; init; }

    /// <summary>When that checkpoint was written, by the clock of the process that wrote it; null: there is none.</summary>
    public DateTimeOffset? CheckpointTime { get; init; }

    /// <summary>The witnesses of this process, in the order of <see cref="ProofOptions.Witnesses"/>.</summary>
    public required IReadOnlyList<ProofWitnessStatus> Witnesses { get; init; }

    /// <summary>
    /// Why this process could not write the last checkpoint that was due, or keep the tree: a full disk, or a history that does not continue an
    /// earlier checkpoint. Null: it could, or none was due since the store was opened.
    /// </summary>
    public string? Problem { get; init; }

    /// <summary>The findings for an operator, a sentence or two each. Empty: all is well, or nothing was due yet.</summary>
    internal IEnumerable<string> Findings => (Problem is null ? [] : new[] { $"The proof of the store's history is not kept: {Problem}" })
        .Concat(Witnesses.Where(static each => each.Problem is not null)
            .Select(static each => $"The witness {each.Folder} did not receive the last checkpoint: {each.Problem}"));
}
