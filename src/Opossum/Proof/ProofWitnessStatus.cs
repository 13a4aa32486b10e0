namespace Opossum;

/// <summary>What a process knows of a folder that receives copies of checkpoints.</summary>
/// <param name="Folder">The folder.</param>
/// <param name="Position">
/// The position of the last event that the newest checkpoint there covers, whichever process wrote it. Null: none is there, or this process has not
/// reached the folder since it opened the store.
/// </param>
/// <param name="Time">When that checkpoint was written, by the clock of the process that wrote it; null as <paramref name="Position"/>.</param>
/// <param name="Problem">
/// Why the last checkpoint that was due was not written there; null: it was, or none was due since the store was opened.
/// </param>
public sealed record ProofWitnessStatus(string Folder, long? Position, DateTimeOffset? Time, string? Problem);
