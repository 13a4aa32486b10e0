namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum verify</c>.</summary>
/// <param name="IsIntact">Whether every event is the one that the checkpoints cover.</param>
/// <param name="IntactUpTo">The position up to which no difference was found.</param>
/// <param name="Position">The last event that the checkpoints cover.</param>
/// <param name="Time">The time of the checkpoint that covers it.</param>
/// <param name="Difference">The first difference; null when there is none.</param>
internal sealed record VerifyReport(bool IsIntact, long IntactUpTo, long Position, DateTimeOffset Time, ProofDifference? Difference);
