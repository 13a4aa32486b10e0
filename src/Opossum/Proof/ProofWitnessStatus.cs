namespace Opossum;

/// <summary>What a process knows of a folder that receives copies of checkpoints.</summary>
public sealed record ProofWitnessStatus
{
    /// <summary>The folder.</summary>
    public required string Folder { get; init; }

    /// <summary>
    /// The position of the last event that the newest checkpoint there covers, whichever process wrote it. Null: none
    /// is there, or this process has not reached the folder since it opened the store.
    /// </summary>
    public required long? Position { get; init; }

    /// <summary>
    /// When that checkpoint was written, by the clock of the process that wrote it; null as <see cref="Position"/>.
    /// </summary>
    public required DateTimeOffset? Time { get; init; }

    /// <summary>
    /// Why the last checkpoint that was due was not written there; null: it was, or none was due since the store was
    /// opened.
    /// </summary>
    public required string? Problem { get; init; }
}
