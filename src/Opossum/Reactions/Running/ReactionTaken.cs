using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>What a new leader has found and made its own.</summary>
/// <param name="Folder">The live folder, under the name that this term has given it.</param>
/// <param name="Files">The files of its checkpoints; null when the reaction is halted.</param>
/// <param name="Checkpoint">How far the reaction is; when it is halted, what could be read of it, or null.</param>
/// <param name="Problem">Why the reaction is halted; null when it is not.</param>
internal sealed record ReactionTaken(string Folder, CheckpointFiles? Files, ReactionCheckpoint? Checkpoint, string? Problem) : IDisposable
{
    public void Dispose() => Files?.Dispose();
}
