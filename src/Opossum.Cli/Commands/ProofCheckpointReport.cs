namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum proof checkpoint</c>.</summary>
/// <param name="Position">The last event that it covers, or would cover.</param>
/// <param name="Time">Its time; null for a dry run.</param>
/// <param name="Checkpoint">Its text; null for a dry run.</param>
/// <param name="Witnesses">The folders that were to receive a copy.</param>
/// <param name="WitnessProblems">A sentence for each of them that could not be written.</param>
internal sealed record ProofCheckpointReport(long Position, string Signer, DateTimeOffset? Time, string? Checkpoint, IReadOnlyList<string> Witnesses,
    IReadOnlyList<string> WitnessProblems, bool IsDryRun);
